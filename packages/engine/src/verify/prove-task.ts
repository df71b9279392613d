import { performance } from 'node:perf_hooks';
import type { RunCount, TaskReport } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { halfOfChange } from '@assay/files/half-of-change';
import { composeChange } from './compose-verifier-tree.ts';
import { findLeaks } from './find-leaks.ts';
import { runMutants, type MutantOptions } from './mutants/run-mutants.ts';
import type { OpenRepositoryTask } from './open-repository-task.ts';
import { retryInvalid } from './retry-invalid.ts';
import { testsOfTheFix, type SomeTests } from './tests-of-the-fix.ts';
import { verifySubmission } from './verify-submission.ts';

export interface ProveTaskOptions {
  /** Repetitions of reference and no-op; 3 is the least that admits. */
  runs: number;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
  progress?: (text: string) => void;
  /**
   * Look for leaks in the host's own packages too, not only in the language's toolchain. Reads them once. Default
   * false.
   */
  wholeHost?: boolean;
  /** Run mutants of the reference once all else holds. Default: none. */
  mutants?: MutantOptions;
  /**
   * Run what has to fail on the tests of the fix alone, once the no-op has failed with all tests: what fails there fails
   * everywhere. What passes there runs with all. Default false.
   */
  failsEarly?: boolean;
}

/**
 * Proves an emitted bundle with its own verifier: reference N of N, no-op 0 of N, test part alone 0, half of the
 * reference, leak scan; then how many mutants its tests tell, which is reported and decides nothing.
 */
export async function proveTask(open: OpenRepositoryTask, options: ProveTaskOptions): Promise<TaskReport> {
  const { task, reference, hidden } = open;
  const once = { ...options, runs: 1, early: null };
  const proven = await countPasses(open, { submission: reference, name: 'reference' }, options);
  const first = await countPasses(open, { submission: NOTHING, name: 'no-op' }, options.failsEarly ? once : options);
  const runs = options.runs - first.runs;
  const early = options.failsEarly ? await openEarly(open, options) : null;
  const others = await countFailing(open, { submission: NOTHING, name: 'no-op' }, { ...options, runs, early });
  const report: TaskReport = {
    id: task.id,
    reference: withoutTime(proven),
    noop: { runs: options.runs, passes: first.passes + others.passes },
    // The no-op has run in the very tree.
    testsOnly: isSameTree(open, hidden, NOTHING)
      ? { runs: 1, passes: Math.min(1, first.passes) }
      : await countFailing(open, { submission: hidden, name: 'tests alone' }, { ...once, early }),
    leaks: [],
    admitted: false,
    reasons: [],
  };
  const half = await halfOfChange(open.t0Directory, reference);
  const lesser = { submission: half ?? NOTHING, name: 'half of the reference' };
  if (half) report.half = await countFailing(open, lesser, { ...once, early });
  options.progress?.('leak scan');
  report.leaks = await findLeaks(open, options);
  report.reasons = reasonsOf(report);
  report.admitted = report.reasons.every((reason) => reason.startsWith('half of'));
  if (report.admitted && options.mutants) {
    const proof = { all: proven.seconds, early: early?.seconds };
    const mutants = await runMutants(open, options.mutants, { ...options, referenceSec: proof });
    if (mutants) report.mutants = mutants;
  }
  return report;
}

const NOTHING: ChangeSet = { files: [], deleted: [] };

/** A count, and the seconds that the slowest of its runs took. */
interface TimedCount extends RunCount {
  seconds: number;
}

const withoutTime = ({ runs, passes }: TimedCount): RunCount => ({ runs, passes });

async function countPasses(
  open: OpenRepositoryTask & Partial<Pick<SomeTests, 'selects'>>,
  { submission, name }: { submission: ChangeSet; name: string },
  { runs, provider, signal, progress }: ProveTaskOptions,
): Promise<TimedCount> {
  const count = { runs, passes: 0, seconds: 0 };
  for (let run = 1; run <= runs; run += 1) {
    progress?.(`${name} ${run}/${runs}`);
    const start = performance.now();
    const verify = async () => ({
      verdict: await verifySubmission({ ...open, submission, provider, unsealed: new Set(), signal }),
    });
    const { verdict } = await retryInvalid(verify, signal);
    count.seconds = Math.max(count.seconds, (performance.now() - start) / 1000);
    if (verdict.outcome === 'pass') count.passes += 1;
  }
  return count;
}

/** The tests that what has to fail runs first, and the seconds that the reference takes for them, where that is known. */
interface Early {
  tests: SomeTests;
  seconds?: number;
}

/** Single tests say something only where the reference passes them, too: they might not run without their neighbours. */
async function openEarly(open: OpenRepositoryTask, options: ProveTaskOptions): Promise<Early | null> {
  const tests = testsOfTheFix(open);
  if (!tests?.selects) return tests && { tests };
  const what = { submission: open.reference, name: 'reference, its own tests' };
  const { passes, seconds } = await countPasses({ ...open, ...tests }, what, { ...options, runs: 1 });
  return passes === 1 ? { tests, seconds } : null;
}

/** Counts passes of what has to fail. */
async function countFailing(
  open: OpenRepositoryTask,
  what: { submission: ChangeSet; name: string },
  options: ProveTaskOptions & { early: Early | null },
): Promise<RunCount> {
  const { early } = options;
  if (options.runs === 0) return { runs: 0, passes: 0 };
  if (early === null) return withoutTime(await countPasses(open, what, options));
  const { passes } = await countPasses({ ...open, ...early.tests }, what, options);
  const all = passes === 0 ? { passes: 0 } : await countPasses(open, what, { ...options, runs: passes });
  return { runs: options.runs, passes: all.passes };
}

/** Whether two submissions leave the verifier with the same files, bytes and modes: then one run answers for both. */
function isSameTree({ task, hidden, split }: OpenRepositoryTask, one: ChangeSet, other: ChangeSet): boolean {
  const { steering } = task.meta;
  return [hidden, split?.stripped, split?.control]
    .filter((tests) => tests !== null && tests !== undefined)
    .every((tests) => {
      const [a, b] = [one, other].map((submission) =>
        digestChange(composeChange({ submission, hidden: tests, steering, hiddenWins: true })),
      );
      return a === b;
    });
}

function reasonsOf({ reference, noop, testsOnly, half, leaks }: TaskReport): string[] {
  const reasons: string[] = [];
  if (reference.passes < reference.runs) reasons.push(`reference passes ${reference.passes} of ${reference.runs}`);
  if (noop.passes > 0) reasons.push(`no-op passes ${noop.passes} of ${noop.runs}`);
  if (testsOnly && testsOnly.passes > 0) reasons.push('the test part alone passes');
  if (half && half.passes > 0) reasons.push('half of the reference passes');
  const first = leaks[0];
  if (first) reasons.push(`${leaks.length} leaks, such as ${first.origin} in ${first.where}`);
  return reasons;
}
