import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sandboxOwner, type SandboxProvider } from '@assay/sandbox';
import { readHidden, readReference, readTask } from '../bundle/read-task.ts';
import type { Task } from '../bundle/task.ts';
import { ecosystemOf } from '../ecosystems/index.ts';
import type { PreparedEnvironment } from '../ecosystems/ecosystem.ts';
import type { ChangeSet } from '../files/change-set.ts';
import { unpackTar } from '../files/tar.ts';
import { readManifest, type TreeManifest } from '../files/tree-manifest.ts';
import { prepareLayer } from '../store/prepare-layer.ts';

/** A task made ready for trials: what all of them share, read-only. */
export interface OpenTask {
  task: Task;
  /** The tree of T0 with its one-commit `.git`; never written to. */
  t0Directory: string;
  t0: TreeManifest;
  /** Paths of T0 that are no regular files, such as its own links. */
  skippedAtT0: ReadonlySet<string>;
  environment: PreparedEnvironment;
  reference: ChangeSet;
  hidden: ChangeSet;
}

export interface OpenTaskOptions { provider: SandboxProvider; cacheDirectory: string; signal?: AbortSignal }

/** Reads and checks a bundle and prepares its layers, from the cache when they are there. Errors as `readTask` and `restoreEnvironment`. */
export async function openTask(directory: string, options: OpenTaskOptions): Promise<OpenTask> {
  return openReadTask(await readTask(directory), options);
}

/** As {@link openTask}, for a bundle that was read. */
export async function openReadTask(task: Task, { provider, cacheDirectory, signal }: OpenTaskOptions): Promise<OpenTask> {
  const archive = join(task.directory, 'environment', 'repo.tar.gz');
  const digest = await sha256OfFile(archive);
  const t0Directory = await prepareLayer(cacheDirectory, `t0-${digest.slice(0, 32)}`, (draft) => unpackTar(archive, draft, { owner: sandboxOwner }));
  const environment = await ecosystemOf(task.meta.environment.ecosystem).restoreEnvironment({
    spec: task.meta.environment, bundleDirectory: join(task.directory, 'environment'), provider, cacheDirectory, ...(signal ? { signal } : {}),
  });
  const { manifest, skipped } = await readManifest(t0Directory, { ignore: ['.git'] });
  const skippedAtT0 = new Set(skipped.map(({ path }) => path));
  return { task, t0Directory, t0: manifest, skippedAtT0, environment, reference: await readReference(task), hidden: await readHidden(task) };
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
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
