import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { MutantReport, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { RepositoryTask } from '../../bundle/task.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import type { OpenRepositoryTask } from '../open-repository-task.ts';
import { verifySubmission } from '../verify-submission.ts';
import { listMutants, type Mutant } from './list-mutants.ts';

export interface MutantOptions {
  /** Most mutants to run. */
  limit: number;
  /** Seconds for all of them; those that are left then are not run. */
  budgetSec: number;
  /** Mutants at the same time. Default: the number of processors. */
  parallel?: number;
}

export const DEFAULT_MUTANTS: MutantOptions = { limit: 24, budgetSec: 120 };

/** A mutant may take this many times what the reference takes, and the seconds below on top: some never end. */
const PATIENCE = 3;
const SLACK_SEC = 10;

export interface RunOptions {
  provider: SandboxProvider;
  signal?: AbortSignal;
  progress?: (text: string) => void;
}

/**
 * Runs mutants of a task's reference against its own verifier. One that times out is killed; one that nobody can judge
 * is not run. Null when there are none, or the reference itself does not pass, which says nothing about the tests.
 */
export async function runMutants(
  open: OpenRepositoryTask,
  { limit, budgetSec, parallel = availableParallelism() }: MutantOptions,
  { provider, signal, progress }: RunOptions,
): Promise<MutantReport | null> {
  const ecosystem = ecosystemOf(open.task.meta.test.ecosystem);
  const runtime = { environment: open.environment, provider, signal };
  const mutants = await listMutants({ ...open, ecosystem, limit }, runtime);
  if (mutants.length === 0) return null;
  const start = performance.now();
  const gates = await openGates(open, { provider, signal });
  if (gates.length === 0) return null;
  const outcomes = new Map<Mutant, Verdict['outcome']>();
  const waiting = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      if (performance.now() - start > budgetSec * 1000) return;
      progress?.(`mutant ${mutants.indexOf(mutant) + 1}/${mutants.length}`);
      outcomes.set(mutant, await throughAll(gates, mutant.submission));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, mutants.length) }, work));
  return reportOf(mutants, outcomes);
}

/** Some of a task's tests, or all, as a verifier of submissions. */
type Gate = (submission: ChangeSet) => Promise<Verdict['outcome']>;

/**
 * Most mutants fall in the files with tests of the fix, which take less time than all: these come first. A gate that
 * the reference does not pass is left out; without the last one there is none.
 */
async function openGates(open: OpenRepositoryTask, options: Omit<RunOptions, 'progress'>): Promise<Gate[]> {
  const gates: Gate[] = [];
  for (const task of [filesOfTheFix(open.task), open.task]) {
    if (!task) continue;
    const verify = async (given: RepositoryTask, submission: ChangeSet): Promise<Verdict['outcome']> =>
      (await verifySubmission({ ...open, ...options, task: given, submission, unsealed: new Set() })).outcome;
    const start = performance.now();
    const passes = (await verify(task, open.reference)) === 'pass';
    if (!passes && task === open.task) return [];
    const hasty = withTimeLimit(task, ((performance.now() - start) / 1000) * PATIENCE + SLACK_SEC);
    if (passes) gates.push((submission) => verify(hasty, submission));
  }
  return gates;
}

async function throughAll(gates: readonly Gate[], submission: ChangeSet): Promise<Verdict['outcome']> {
  for (const gate of gates) {
    const outcome = await gate(submission);
    if (outcome !== 'pass') return outcome;
  }
  return 'pass';
}

/** The task with the test files alone that hold a test of the fix; null when these are all. */
function filesOfTheFix(task: RepositoryTask): RepositoryTask | null {
  const { test, fail_to_pass, pass_to_pass } = task.meta;
  const fileOf = (id: string): string => ecosystemOf(test.ecosystem).tests.splitId(id).file;
  const files = [...new Set(fail_to_pass.map(fileOf))];
  if (files.length >= test.files.length) return null;
  const others = pass_to_pass.filter((id) => files.includes(fileOf(id)));
  return { ...task, meta: { ...task.meta, test: { ...test, files }, pass_to_pass: others } };
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
