import { join } from 'node:path';
import { verifierDigest } from '@assay/engine/kinds/verifier-digest';
import type { ScenarioHost } from '@assay/engine/kinds/kind';
import { openSlots } from '../grade/slots.ts';
import { openScenarioTask } from './open-scenario-task.ts';

/**
 * Lets the engine run tasks of scenarios. All trials with one host share its slots, so that no more apps run at once
 * than the machine can hold.
 */
export function scenarioHost(): ScenarioHost {
  const slots = openSlots();
  const digest = (): Promise<string> => verifierDigest({ bax: join(import.meta.dirname, '..') });
  return {
    open: async (task, options) => ({ ...(await openScenarioTask(task, options, slots)), verifierDigest: digest }),
    verifierDigest: digest,
  };
}
