import { AssayError } from '@assay/protocol';
import { readTask } from '../bundle/read-task.ts';
import type { Task } from '../bundle/task.ts';
import { openDiff } from './diff/diff-task.ts';
import { openRepository } from './repository/repository-task.ts';
import { openStandard } from './standard/standard-task.ts';
import type { OpenTask, OpenTaskOptions } from './kind.ts';

/** Reads, checks and prepares a bundle, from the cache where it can. Throws what `readTask` and its kind throw. */
export async function openTask(directory: string, options: OpenTaskOptions): Promise<OpenTask> {
  return openReadTask(await readTask(directory), options);
}

/** As {@link openTask}, for a bundle that was read. */
export async function openReadTask(task: Task, options: OpenTaskOptions): Promise<OpenTask> {
  switch (task.kind) {
    case 'repository':
      return openRepository(task, options);
    case 'standard':
      return openStandard(task, options);
    case 'diff':
      return openDiff(task, options);
    case 'scenario':
      if (!options.scenarios)
        throw new AssayError('TASK_KIND', { path: task.directory, kind: task.kind, wanted: 'repository and standard' });
      return options.scenarios.open(task, options);
  }
}

/**
 * Opens each task once while it is in use, and keeps the last `keep` of them open, because attempts at one task follow
 * each other. Where several wait for one task, only the first gets its progress. Failures are not kept.
 */
export function openTasksOnce(keep: number): (task: Task, options: OpenTaskOptions) => Promise<OpenTask> {
  const recent = new Map<string, Promise<OpenTask>>();
  return (task, options) => {
    const { digest } = task.meta;
    const known = recent.get(digest) ?? openReadTask(task, options);
    recent.delete(digest);
    recent.set(digest, known);
    known.catch(() => recent.get(digest) === known && recent.delete(digest));
    for (const oldest of recent.keys()) {
      if (recent.size <= keep) break;
      recent.delete(oldest);
    }
    return known;
  };
}
