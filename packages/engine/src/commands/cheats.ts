import { availableParallelism } from 'node:os';
import { AssayError, type CheatReport, type CheatsResult, type OnProgress, type SealName } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import type { Cheat } from '../cheats/cheat.ts';
import { CHEATS } from '../cheats/index.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { runTrial } from '../trial/run-trial.ts';
import { readTask } from '../bundle/read-task.ts';
import type { OpenTask } from '../kinds/kind.ts';
import { openReadTask } from '../kinds/open-task.ts';
import { requireAttackable, requireAttacks } from '../kinds/require-attacks.ts';
import { forEachParallel } from '@assay/files/store/schedule';

export type { CheatReport, CheatsResult } from '@assay/protocol';

export interface RunCheatsOptions {
  task: string;
  provider?: string;
  ids?: string[];
  parallel?: number;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}
/** Runs the corpus against one task, each cheat sealed and with its one seal off. */
export async function runCheats(options: RunCheatsOptions): Promise<CheatsResult> {
  const unknown = options.ids?.find((id) => !CHEATS.some((cheat) => cheat.id === id));
  if (unknown)
    throw new AssayError('UNKNOWN_AGENT', {
      name: `cheat:${unknown}`,
      known: CHEATS.map((cheat) => `cheat:${cheat.id}`).join(', '),
    });
  const wanted = CHEATS.filter((cheat) => !options.ids || options.ids.includes(cheat.id));
  const provider = await chooseProvider(options.provider);
  const read = await readTask(options.task);
  requireAttackable([read]);
  const task = await openReadTask(read, { provider, cacheDirectory: cacheDirectory(), signal: options.signal });
  const { suits } = requireAttacks(task);
  const applicable = wanted.filter(suits);
  const reports: CheatReport[] = [];
  await forEachParallel(
    applicable,
    options.parallel ?? availableParallelism(),
    async (cheat) => {
      options.onEvent?.({
        type: 'item-start',
        item: cheat.id,
        text: cheat.title,
        done: reports.length,
        total: applicable.length,
      });
      const report = await runCheat(task, cheat, provider, options.signal);
      reports.push(report);
      options.onEvent?.({
        type: 'item-end',
        item: cheat.id,
        ok: report.control && report.blocked === !report.open,
        done: reports.length,
        total: applicable.length,
      });
    },
    options.signal,
  );
  const order = (id: string): number => CHEATS.findIndex((cheat) => cheat.id === id);
  return {
    cheats: reports.sort((a, b) => order(a.id) - order(b.id)),
    notApplicable: wanted.filter((cheat) => !applicable.includes(cheat)).map(({ id, title }) => ({ id, title })),
  };
}

async function runCheat(
  task: OpenTask,
  cheat: Cheat,
  provider: SandboxProvider,
  signal?: AbortSignal,
): Promise<CheatReport> {
  const attempt = (unsealed: SealName[]) =>
    runTrial({
      task,
      agent: { cheat: cheat.id },
      attempt: 1,
      provider,
      unsealed: new Set(unsealed),
      timeoutSec: 60,
      signal,
    });
  const sealed = await attempt([]);
  const unsealed = await attempt([cheat.seal]);
  return {
    id: cheat.id,
    title: cheat.title,
    group: cheat.id.slice(0, 1),
    seal: cheat.seal,
    sealed: { reward: sealed.verdict.reward, trust: sealed.verdict.trust },
    unsealed: { reward: unsealed.verdict.reward },
    blocked: !sealed.succeeded,
    control: unsealed.succeeded,
    ...(cheat.open ? { open: cheat.open } : {}),
  };
}

/** Whether a report is as it must be: blocked with a working control, or open and still succeeding. */
export const isAsDeclared = (report: CheatReport): boolean =>
  report.control && report.blocked === (report.open === undefined);
