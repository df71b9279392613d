import { join } from 'node:path';
import { AssayError, type EnvironmentSpec } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import { openT0, type OpenT0 } from '../bundle/open-t0.ts';
import { readHidden, readReference, readTaskOf } from '../bundle/read-task.ts';
import { readSplitOracle, type SplitOracle } from '../bundle/split-oracle.ts';
import type { RepositoryTask } from '../bundle/task.ts';
import { ecosystemOf } from '../ecosystems/index.ts';
import type { PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import type { ChangeSet } from '@assay/files/change-set';

/** A repository task made ready for trials, which share it read-only. */
export interface OpenRepositoryTask extends OpenT0 {
  task: RepositoryTask;
  environment: PreparedEnvironment;
  reference: ChangeSet;
  hidden: ChangeSet;
  /** Null when the bundle has none. */
  split: SplitOracle | null;
}

export interface OpenRepositoryOptions {
  provider: SandboxProvider;
  cacheDirectory: string;
  /** Leave an oracle of the bundle unread, whatever it is. Default false. */
  withoutSplit?: boolean;
  signal?: AbortSignal;
}

/**
 * Reads and checks a bundle and prepares its layers, from the cache when they are there. Throws `TASK_KIND` on a task
 * of another kind, and what `readTask` and `restoreEnvironment` throw.
 */
export async function openRepositoryTask(
  directory: string,
  options: OpenRepositoryOptions,
): Promise<OpenRepositoryTask> {
  return openReadRepositoryTask(await readTaskOf('repository', directory), options);
}

/** As {@link openRepositoryTask}, for a bundle that was read. */
export async function openReadRepositoryTask(
  task: RepositoryTask,
  { provider, cacheDirectory, withoutSplit, signal }: OpenRepositoryOptions,
): Promise<OpenRepositoryTask> {
  const t0 = await openT0(task, cacheDirectory);
  const environment = await ecosystemOf(task.meta.environment.ecosystem).restoreEnvironment({
    spec: task.meta.environment,
    bundleDirectory: join(task.directory, 'environment'),
    provider,
    cacheDirectory,
    signal,
  });
  requireSameEnvironment(task, environment.spec);
  const hidden = await readHidden(task);
  const split = withoutSplit ? null : await readSplitOracle(task.directory, hidden, task.meta.test);
  return { task, ...t0, environment, reference: await readReference(task), hidden, split };
}

/**
 * Throws `TASK_ALTERED` when the restored environment has another digest than task.toml names. Another interpreter than
 * the proof's may change the digest; the same one may not.
 */
function requireSameEnvironment({ directory, meta: { environment } }: RepositoryTask, restored: EnvironmentSpec): void {
  if (restored.interpreter !== environment.interpreter || restored.digest === environment.digest) return;
  throw new AssayError('TASK_ALTERED', {
    path: directory,
    detail: `its environment has the digest ${restored.digest}, task.toml says ${environment.digest}`,
  });
}
