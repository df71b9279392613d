import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { MutantReport, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
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
 * is not run. Null when there are none, which says nothing about the tests.
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
  const spent = (): number => (performance.now() - start) / 1000;
  const verify = (task: OpenRepositoryTask['task'], submission: Mutant['submission']): Promise<Verdict> =>
    verifySubmission({ ...open, task, submission, provider, unsealed: new Set(), signal });
  await verify(open.task, open.reference);
  const hasty = withTimeLimit(open.task, spent() * PATIENCE + SLACK_SEC);
  const outcomes = new Map<Mutant, Verdict['outcome']>();
  const waiting = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant && spent() < budgetSec; mutant = waiting.shift()) {
      progress?.(`mutant ${mutants.indexOf(mutant) + 1}/${mutants.length}`);
      outcomes.set(mutant, (await verify(hasty, mutant.submission)).outcome);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, mutants.length) }, work));
  return reportOf(mutants, outcomes);
}

function withTimeLimit(task: OpenRepositoryTask['task'], seconds: number): OpenRepositoryTask['task'] {
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
