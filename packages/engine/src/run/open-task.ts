import { readTask } from '../bundle/read-task.ts';
import type { Task } from '../bundle/task.ts';
import { openStandardTask, type OpenStandardTask } from '../judge/open-standard-task.ts';
import { openReadRepositoryTask, type OpenRepositoryTask, type OpenTaskOptions } from '../verify/open-repository-task.ts';

/** A task of any kind made ready for trials. */
export type OpenTask = OpenRepositoryTask | OpenStandardTask;

/** Reads and checks a bundle and prepares it, from the cache where it can. Errors as `readTask`, `restoreEnvironment` and `openStandardTask`. */
export async function openTask(directory: string, options: OpenTaskOptions): Promise<OpenTask> {
  return openReadTask(await readTask(directory), options);
}

/** As {@link openTask}, for a bundle that was read. */
export async function openReadTask(task: Task, options: OpenTaskOptions): Promise<OpenTask> {
  return task.kind === 'repository' ? openReadRepositoryTask(task, options) : openStandardTask(task, options);
}

/** Opens each task once while it is in use, and keeps the last few: attempts at one task follow each other. */
export function openTasksOnce(options: OpenTaskOptions, keep: number): (task: Task) => Promise<OpenTask> {
  const recent = new Map<string, Promise<OpenTask>>();
  return (task) => {
    const known = recent.get(task.directory) ?? openReadTask(task, options);
    recent.delete(task.directory);
    recent.set(task.directory, known);
    for (const oldest of recent.keys()) {
      if (recent.size <= keep) break;
      recent.delete(oldest);
    }
    return known;
  };
}
