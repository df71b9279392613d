import { availableParallelism } from 'node:os';
import { AssayError, type CheatReport, type CheatsResult, type OnProgress, type SealName } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { controlSeals, type Cheat } from '../cheats/cheat.ts';
import { CHEATS } from '../cheats/index.ts';
import { settleEach, throwIfNothingDone } from '@assay/files/store/failure-policy';
import { cacheDirectory } from '@assay/files/store/paths';
import { runTrial } from '../trial/run-trial.ts';
import { readTask } from '../bundle/read-task.ts';
import type { OpenTask } from '../kinds/kind.ts';
import { openReadTask } from '../kinds/open-task.ts';
import { requireAttackable, requireAttacks } from '../kinds/require-attacks.ts';
import type { TrialResult } from '../trial/trial-request.ts';

export type { CheatReport, CheatsResult } from '@assay/protocol';

export interface RunCheatsOptions {
  task: string;
  provider?: string;
  ids?: string[];
  parallel?: number;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Runs the corpus against one task, each cheat sealed and with its one seal off. A cheat that comes to no answer is
 * among the failures, and the others go on; when that is true of all, what ended the first is thrown.
 */
export async function runCheats(options: RunCheatsOptions): Promise<CheatsResult> {
  const { signal, onEvent, parallel = availableParallelism() } = options;
  const wanted = wantedCheats(options.ids);
  const provider = await chooseProvider(options.provider);
  const read = await readTask(options.task);
  requireAttackable([read]);
  const task = await openReadTask(read, { provider, cacheDirectory: cacheDirectory(), signal });
  const { suits } = requireAttacks(task);
  const applicable = wanted.filter(suits);
  const total = applicable.length;
  const reports: CheatReport[] = [];
  let done = 0;
  const end = (item: string, ok: boolean, text?: string): void => {
    done += 1;
    onEvent?.({ type: 'item-end', item, ok, text, done, total });
  };
  const settled = await settleEach(
    applicable,
    {
      parallel,
      place: 'agent',
      name: ({ id }) => id,
      signal,
      onRetry: ({ item, message }) => onEvent?.({ type: 'item-progress', item, text: `again, after: ${message}` }),
      onFailure: ({ item, outcome, message }) => end(item, false, `${outcome}: ${message}`),
    },
    async (cheat) => {
      onEvent?.({ type: 'item-start', item: cheat.id, text: cheat.title, done, total });
      const report = await runCheat(task, cheat, provider, signal);
      reports.push(report);
      end(cheat.id, isAsDeclared(report));
    },
  );
  throwIfNothingDone(settled);
  const order = (id: string): number => CHEATS.findIndex((cheat) => cheat.id === id);
  return {
    cheats: reports.sort((a, b) => order(a.id) - order(b.id)),
    notApplicable: wanted.filter((cheat) => !applicable.includes(cheat)).map(({ id, title }) => ({ id, title })),
    failures: settled.failures,
  };
}

/** Throws `UNKNOWN_AGENT`. */
function wantedCheats(ids: readonly string[] | undefined): Cheat[] {
  const unknown = ids?.find((id) => !CHEATS.some((cheat) => cheat.id === id));
  if (unknown === undefined) return CHEATS.filter(({ id }) => ids?.includes(id) ?? true);
  const known = CHEATS.map((cheat) => `cheat:${cheat.id}`).join(', ');
  throw new AssayError('UNKNOWN_AGENT', { name: `cheat:${unknown}`, known });
}

async function runCheat(
  task: OpenTask,
  cheat: Cheat,
  provider: SandboxProvider,
  signal?: AbortSignal,
): Promise<CheatReport> {
  const attempt = async (unsealed: SealName[]): Promise<TrialResult> => {
    const result = await runTrial({
      task,
      agent: { cheat: cheat.id },
      attempt: 1,
      provider,
      unsealed: new Set(unsealed),
      timeoutSec: 60,
      signal,
    });
    // A trial that broke shows nothing: neither that the cheat was blocked nor that its control fails.
    if (result.broke !== undefined && !result.succeeded)
      throw new AssayError('TRIAL_BROKEN', { detail: result.verdict.note ?? 'its verdict is invalid' });
    return result;
  };
  const sealed = await attempt([]);
  const unsealed = await attempt(controlSeals(cheat));
  const isOpen = sealed.succeeded && sealed.verdict.trust.level === 'in-process';
  return {
    id: cheat.id,
    title: cheat.title,
    group: cheat.id.slice(0, 1),
    seal: cheat.seal,
    alsoOff: cheat.alsoOff && [...cheat.alsoOff],
    sealed: { reward: sealed.verdict.reward, trust: sealed.verdict.trust },
    unsealed: { reward: unsealed.verdict.reward },
    blocked: !sealed.succeeded,
    control: unsealed.succeeded,
    open: isOpen ? cheat.openInProcess : undefined,
  };
}

/** Tells whether a report is as it must be: blocked with a working control, or open and still succeeding. */
export const isAsDeclared = (report: CheatReport): boolean =>
  report.control && report.blocked === (report.open === undefined);
