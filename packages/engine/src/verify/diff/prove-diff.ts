import type { RunCount, TaskReport } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { halfOfChange } from '@assay/files/half-of-change';
import { findLeaks } from '../find-leaks.ts';
import { retryInvalid } from '../retry-invalid.ts';
import type { OpenDiffTask } from './open-diff-task.ts';
import { verifyDiff } from './verify-diff.ts';

export interface ProveDiffOptions {
  /** Repetitions of reference and no-op; 3 is the least that admits. */
  runs: number;
  provider: SandboxProvider;
  cacheDirectory: string;
  /** Look for leaks in the host's own packages too. Default false. */
  wholeHost?: boolean;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}

const NOTHING: ChangeSet = { files: [], deleted: [] };

/**
 * Proves a bundle with its own verifier: the reference is the same as itself N of N, the no-op 0 of N, half of the
 * reference is not the whole, and nothing that an agent can read holds it.
 */
export async function proveDiff(open: OpenDiffTask, options: ProveDiffOptions): Promise<TaskReport> {
  const reference = await countPasses(open, { submission: open.reference, name: 'reference' }, options);
  const noop = await countPasses(open, { submission: NOTHING, name: 'no-op' }, options);
  // A model would have to judge half of it, and the proof asks none.
  const submission = open.task.meta.judged ? null : await halfOfChange(open.t0Directory, open.reference);
  const half = submission
    ? await countPasses(open, { submission, name: 'half of the reference' }, { ...options, runs: 1 })
    : undefined;
  options.progress?.('leak scan');
  const environment = { ...open.environment, layerDirectories: [] };
  const leaks = await findLeaks({ ...open, environment, hidden: NOTHING }, options);
  const [leak] = leaks;
  const reasons: string[] = [];
  if (reference.passes < reference.runs) reasons.push(`reference passes ${reference.passes} of ${reference.runs}`);
  if (noop.passes > 0) reasons.push(`no-op passes ${noop.passes} of ${noop.runs}`);
  if (half && half.passes > 0) reasons.push('half of the reference passes');
  if (leak) reasons.push(`${leaks.length} leaks, such as ${leak.origin} in ${leak.where}`);
  const admitted = reasons.length === 0;
  return { id: open.task.id, reference, noop, ...(half && { half }), leaks, admitted, reasons };
}

async function countPasses(
  open: OpenDiffTask,
  { submission, name }: { submission: ChangeSet; name: string },
  { runs, provider, signal, progress }: ProveDiffOptions,
): Promise<RunCount> {
  let passes = 0;
  for (let run = 1; run <= runs; run += 1) {
    progress?.(`${name} ${run}/${runs}`);
    const { verdict } = await retryInvalid(() => verifyDiff(open, submission, { provider, signal }), signal);
    if (verdict.outcome === 'pass') passes += 1;
  }
  return { runs, passes };
}
