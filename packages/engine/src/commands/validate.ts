import { availableParallelism } from 'node:os';
import type { AlternateReport, OnProgress, TaskReport, ValidateResult } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { failureOf, settleEach, throwIfNothingDone } from '@assay/files/store/failure-policy';
import { cacheDirectory } from '@assay/files/store/paths';
import { readDataset } from '../bundle/read-task.ts';
import type { ScenarioHost } from '../kinds/kind.ts';
import { openReadTask } from '../kinds/open-task.ts';
import { DEFAULT_MUTANTS } from '../verify/mutants/run-mutants.ts';
import { alternateReasons, findAlternates, tryAlternates } from './try-alternates.ts';

export interface ValidateOptions {
  path: string;
  runs?: number;
  parallel?: number;
  /** Most mutants of each reference to run, to see what its tests tell. Default 24; with 0 none. */
  mutants?: number;
  /** Directory with other right solutions; all must pass. `findAlternates` says how they lie there. */
  alternates?: string;
  provider?: string;
  /** Opens tasks of scenarios. */
  scenarios?: ScenarioHost;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Proves every task of a bundle or dataset as it lies there. A task that fails is in the report, and one that cannot be
 * opened is among the failures; when that is true of all, what ended the first is thrown. Throws as `chooseProvider`.
 */
export async function validateTasks(options: ValidateOptions): Promise<ValidateResult> {
  const { scenarios, signal, onEvent, runs = 3 } = options;
  const { parallel = availableParallelism(), mutants: limit = DEFAULT_MUTANTS.limit } = options;
  const { tasks, broken } = await readDataset(options.path);
  const alternates =
    options.alternates === undefined
      ? undefined
      : await findAlternates(
          options.alternates,
          tasks.map(({ id }) => id),
        );
  const failures = broken.map(({ directory, error }) => failureOf(directory, error));
  const provider = await chooseProvider(options.provider);
  const reports: TaskReport[] = [];
  const total = tasks.length;
  const atOnce = Math.max(1, Math.floor(availableParallelism() / Math.min(parallel, Math.max(1, total))));
  const mutants = limit > 0 ? { ...DEFAULT_MUTANTS, limit, parallel: atOnce } : undefined;
  let done = 0;
  const end = (item: string, ok: boolean, text: string): void => {
    done += 1;
    onEvent?.({ type: 'item-end', item, ok, text, done, total });
  };
  const settled = await settleEach(
    tasks,
    {
      parallel,
      name: ({ id }) => id,
      signal,
      onFailure: ({ item, outcome, message }) => end(item, false, `${outcome}: ${message}`),
    },
    async (task) => {
      onEvent?.({ type: 'item-start', item: task.id, done, total });
      const progress = (text: string): void => onEvent?.({ type: 'item-progress', item: task.id, text });
      const opening = { provider, cacheDirectory: cacheDirectory(), progress, scenarios, signal };
      const open = await openReadTask(task, opening);
      const report = await open.prove({ runs, provider, mutants, signal, progress });
      const others = alternates?.get(task.id);
      if (others) addAlternates(report, await tryAlternates(open, others, { provider, signal, progress }));
      reports.push(report);
      end(task.id, report.admitted, report.reasons.join('; '));
    },
  );
  throwIfNothingDone(settled);
  return { tasks: reports.sort((a, b) => (a.id < b.id ? -1 : 1)), failures: [...failures, ...settled.failures] };
}

function addAlternates(report: TaskReport, alternates: AlternateReport[]): void {
  const reasons = alternateReasons(alternates);
  report.alternates = alternates;
  report.reasons.push(...reasons);
  if (reasons.length > 0) report.admitted = false;
}
