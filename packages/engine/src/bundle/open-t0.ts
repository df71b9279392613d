import { join } from 'node:path';
import { sandboxOwner } from '@assay/sandbox';
import { sha256File } from '@assay/files/content-digest';
import { unpackTar } from '@assay/files/tar';
import { readManifest, type TreeManifest } from '@assay/files/tree-manifest';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { Task } from './task.ts';

/** The state from which an agent starts. */
export interface OpenT0 {
  /** The tree of T0, including a repository's one-commit `.git`; never written to. */
  t0Directory: string;
  t0: TreeManifest;
  /** Paths of T0 that are not regular files, such as its own links. */
  skippedAtT0: ReadonlySet<string>;
}

/** Unpacks a bundle's archive, or takes the tree from the cache. */
export async function openT0(task: Task, cacheDirectory: string): Promise<OpenT0> {
  const archive = join(task.directory, 'environment', 'repo.tar.gz');
  const digest = await sha256File(archive);
  const t0Directory = await prepareLayer(cacheDirectory, `t0-${digest.slice(0, 32)}`, (draft) =>
    unpackTar(archive, draft, { owner: sandboxOwner }),
  );
  const { manifest, skipped } = await readManifest(t0Directory, { ignore: ['.git'] });
  return { t0Directory, t0: manifest, skippedAtT0: new Set(skipped.map(({ path }) => path)) };
}
