import type { JobSummary, Trial } from '@assay/protocol';
import { wilsonInterval } from '../stats/wilson.ts';
import { totalUsage } from './trial-usage.ts';

/** Computes the figures of a job. */
export function summariseTrials(trials: readonly Trial[]): JobSummary {
  const passed = trials.filter((trial) => trial.outcome === 'pass').length;
  const invalid = trials.filter((trial) => trial.outcome === 'invalid').length;
  const known = trials.length - invalid;
  const usage = totalUsage(trials);
  return {
    trials: trials.length,
    passed,
    invalid,
    passRate: known > 0 ? passed / known : null,
    ci95: known > 0 ? wilsonInterval(passed, known) : null,
    durationMs: trials.reduce((sum, trial) => sum + trial.durationMs, 0),
    usage,
  };
}
