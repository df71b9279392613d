import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { MutantReport, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { RepositoryTask } from '../../bundle/task.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { OpenRepositoryTask } from '../open-repository-task.ts';
import { verifySubmission } from '../verify-submission.ts';
import { testsOfTheFix, type SomeTests } from '../tests-of-the-fix.ts';
import { listMutants, type Mutant } from './list-mutants.ts';

export interface MutantOptions {
  /** Most mutants to run. */
  limit: number;
  /** Seconds for all of them; those that are left then are not run. */
  budgetSec: number;
  /** Mutants at the same time. Default: the number of processors. */
  parallel?: number;
  /** The share of killed ones that is asked about: the others are not run once it is certain. Default: all are run. */
  decides?: number;
}

export const DEFAULT_MUTANTS: MutantOptions = { limit: 24, budgetSec: 120 };

/** Of fewer, a share says nothing: one that changes no behaviour after all would decide. */
export const FEWEST_MUTANTS = 4;

/** A mutant may take this many times what the reference takes, and the seconds below on top: some never end. */
const PATIENCE = 3;
const SLACK_SEC = 10;

export interface RunOptions {
  provider: SandboxProvider;
  signal?: AbortSignal;
  progress?: (text: string) => void;
  /** What all tests took with the reference, which passed them, and those of the fix. Absent: it is tried first. */
  referenceSec?: { all: number; early?: number | undefined };
}

/**
 * Runs mutants of a task's reference against its own verifier. One that times out is killed; one that nobody can judge,
 * as when the reference itself does not pass, is not run. Null when there are none: nothing is known about the tests.
 */
export async function runMutants(
  open: OpenRepositoryTask,
  { limit, budgetSec, parallel = availableParallelism(), decides }: MutantOptions,
  { provider, signal, progress, referenceSec }: RunOptions,
): Promise<MutantReport | null> {
  const ecosystem = ecosystemOf(open.task.meta.test.ecosystem);
  const runtime = { environment: open.environment, provider, signal };
  const mutants = await listMutants({ ...open, ecosystem, limit }, runtime);
  if (mutants.length === 0) return null;
  const start = performance.now();
  const gates = gatesOf(open, { provider, signal, referenceSec });
  const outcomes = new Map<Mutant, Verdict['outcome']>();
  const waiting = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      if (performance.now() - start > budgetSec * 1000 || isDecided(mutants.length, outcomes, decides)) return;
      progress?.(`mutant ${mutants.indexOf(mutant) + 1}/${mutants.length}`);
      outcomes.set(mutant, await throughAll(gates, mutant.submission));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, mutants.length) }, work));
  return reportOf(mutants, outcomes);
}

/** Whether the share of killed mutants stays on its side of a limit, however the others end. */
function isDecided(
  count: number,
  outcomes: ReadonlyMap<Mutant, Verdict['outcome']>,
  limit: number | undefined,
): boolean {
  if (limit === undefined) return false;
  const ended = [...outcomes.values()];
  const killed = ended.filter((outcome) => outcome === 'fail').length;
  const survived = ended.filter((outcome) => outcome === 'pass').length;
  return killed >= limit * count || (survived > (1 - limit) * count && killed + survived >= FEWEST_MUTANTS);
}

/** Some of a task's tests, or all, as a verifier of submissions; null when the reference does not pass them. */
type Gate = () => Promise<((submission: ChangeSet) => Promise<Verdict['outcome']>) | null>;

/**
 * Most mutants fall in the tests of the fix, which take less time than all: these come first. The other gate is opened
 * by the first mutant that gets there.
 */
function gatesOf(open: OpenRepositoryTask, { referenceSec, ...options }: Omit<RunOptions, 'progress'>): Gate[] {
  const verify = async ({ task, selects }: Tests, submission: ChangeSet): Promise<Verdict['outcome']> => {
    // Mutants forge nothing, so one box will do: the split verdict is the same.
    const request = { ...open, ...options, split: null, task, selects, submission, unsealed: new Set<never>() };
    return (await verifySubmission(request)).outcome;
  };
  const openGate = async (tests: Tests, provenSec: number | undefined): ReturnType<Gate> => {
    const start = performance.now();
    if (provenSec === undefined && (await verify(tests, open.reference)) !== 'pass') return null;
    const seconds = provenSec ?? (performance.now() - start) / 1000;
    const hasty = { ...tests, task: withTimeLimit(tests.task, seconds * PATIENCE + SLACK_SEC) };
    return (submission) => verify(hasty, submission);
  };
  const gateOf = (tests: Tests, provenSec: number | undefined): Gate => {
    let gate: ReturnType<Gate> | undefined;
    return () => (gate ??= openGate(tests, provenSec));
  };
  const early = testsOfTheFix(open);
  const all = gateOf({ task: open.task, selects: false }, referenceSec?.all);
  return early === null ? [all] : [gateOf(early, referenceSec?.early), all];
}

type Tests = Pick<SomeTests, 'task' | 'selects'>;

/** The outcome of the first gate that a submission does not pass. Without the last gate it is unknown. */
async function throughAll(gates: readonly Gate[], submission: ChangeSet): Promise<Verdict['outcome']> {
  let outcome: Verdict['outcome'] = 'invalid';
  for (const gate of gates) {
    const verify = await gate();
    outcome = verify ? await verify(submission) : 'invalid';
    if (verify && outcome !== 'pass') break;
  }
  return outcome;
}

function withTimeLimit(task: RepositoryTask, seconds: number): RepositoryTask {
  const { test } = task.meta;
  return { ...task, meta: { ...task.meta, test: { ...test, timeoutSec: Math.min(test.timeoutSec, seconds) } } };
}

function reportOf(mutants: readonly Mutant[], outcomes: ReadonlyMap<Mutant, Verdict['outcome']>): MutantReport {
  const ended = (outcome: Verdict['outcome']): Mutant[] => mutants.filter((mutant) => outcomes.get(mutant) === outcome);
  const survived = ended('pass');
  const killed = ended('fail').length;
  const run = survived.length + killed;
  const survivors = survived
    .map(({ path, line, kind, change }) => ({ path, line, kind, change }))
    .sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)) || a.line - b.line);
  return { run, killed, notRun: mutants.length - run, survivors };
}
