import type { AlternateReport, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { ecosystemOf } from '../ecosystems/index.ts';
import { readT0Tokens } from '../harden/t0-tokens.ts';
import { undisclosedSymbols } from '../harden/undisclosed-symbols.ts';
import { composeChange } from './compose-verifier-tree.ts';
import type { OpenRepositoryTask } from './open-repository-task.ts';
import { runSuite } from './run-suite.ts';

const LOG_CHARACTERS = 4000;

export interface FailureRequest {
  submission: ChangeSet;
  verdict: Verdict;
  provider: SandboxProvider;
  signal?: AbortSignal;
}

/**
 * Tells why tests fail a submission: what their files demand beyond the instruction and T0, and what they print when
 * they are run once more, as they were written.
 */
export async function explainFailure(
  { task, reference, hidden, t0Directory, environment }: OpenRepositoryTask,
  { submission, verdict, provider, signal }: FailureRequest,
): Promise<Pick<AlternateReport, 'demands' | 'log'>> {
  const { test, steering } = task.meta;
  const ecosystem = ecosystemOf(test.ecosystem);
  const failing = verdict.tests.filter(({ status }) => status !== 'passed');
  const files = [...new Set(failing.map(({ id }) => ecosystem.tests.splitId(id).file))];
  const { exec } = await runSuite({
    command: { ...test, files },
    change: composeChange({ submission, hidden, steering, hiddenWins: true }),
    t0Directory,
    environment,
    provider,
    signal,
  });
  const t0Tokens = await readT0Tokens(t0Directory);
  const { instruction } = task;
  const demands = undisclosedSymbols({ reference, tests: hidden, t0Directory, t0Tokens, instruction, ecosystem });
  const log = exec.stderr.trim().slice(-LOG_CHARACTERS);
  return {
    demands: demands.filter(({ where }) => files.some((file) => where.startsWith(`${file}:`))),
    ...(log === '' ? {} : { log }),
  };
}
