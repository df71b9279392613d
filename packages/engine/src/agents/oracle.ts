import { packChange } from '@assay/files/pack-change';
import type { Agent } from './agent.ts';

/** Submits the reference solution, written inside the sandbox like any agent's work. */
export const oracle: Agent = {
  name: 'oracle',
  async run({ sandbox, reference, timeoutMs, signal }) {
    const change = await reference();
    if (!change)
      return { exec: null, note: 'the oracle has nothing to hand in: the task carries no reference solution' };
    const exec = await sandbox.exec('', {
      argv: [
        'sh',
        '-c',
        'rm -rf -- "$@"; exec tar -xf - -C /workspace',
        'sh',
        ...change.deleted.map((path) => `/workspace/${path}`),
      ],
      stdin: await packChange(change),
      timeout: timeoutMs,
      signal,
    });
    return { exec };
  },
};
