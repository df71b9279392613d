import { availableParallelism } from 'node:os';
import type { OnProgress } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { readTasks } from '../bundle/read-task.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import type { TaskReport } from '../verify/prove-task.ts';
import { forEachParallel } from '@assay/files/store/schedule';
import { openReadTask } from '../kinds/open-task.ts';
import type { ScenarioHost } from '../kinds/kind.ts';

export interface ValidateOptions {
  path: string;
  runs?: number;
  parallel?: number;
  provider?: string;
  /** Opens tasks of scenarios. */ scenarios?: ScenarioHost;
  signal?: AbortSignal;
  onEvent?: OnProgress;
}

/**
 * Proves every task of a bundle or dataset as it lies there. Throws as `readTasks` and `chooseProvider` do; a task that
 * fails is in the report.
 */
export async function validateTasks(options: ValidateOptions): Promise<{ tasks: TaskReport[] }> {
  const tasks = await readTasks(options.path);
  const provider = await chooseProvider(options.provider);
  const signal = options.signal ? { signal: options.signal } : {};
  const reports: TaskReport[] = [];
  await forEachParallel(
    tasks,
    options.parallel ?? availableParallelism(),
    async (task) => {
      options.onEvent?.({ type: 'item-start', item: task.id, done: reports.length, total: tasks.length });
      const progress = (text: string): void => options.onEvent?.({ type: 'item-progress', item: task.id, text });
      const open = await openReadTask(task, {
        provider,
        cacheDirectory: cacheDirectory(),
        progress,
        scenarios: options.scenarios,
        ...signal,
      });
      const report = await open.prove({ runs: options.runs ?? 3, provider, ...signal, progress });
      reports.push(report);
      options.onEvent?.({
        type: 'item-end',
        item: task.id,
        ok: report.admitted,
        text: report.reasons.join('; '),
        done: reports.length,
        total: tasks.length,
      });
    },
    options.signal,
  );
  return { tasks: reports.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
