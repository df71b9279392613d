import { chmod, chown, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxOwner } from '@assay/sandbox';
import { sha256File } from '@assay/files/content-digest';
import { unpackTar } from '@assay/files/tar';
import { prepareLayer } from '@assay/files/store/prepare-layer';

/** Unpacks an archive of modules, once per content, and returns the tree. */
export async function unpackModules(archive: string, cacheDirectory: string): Promise<string> {
  return makeLayer(archive, cacheDirectory, (tree) => unpackTar(archive, tree, { owner: sandboxOwner }));
}

/** Keeps a tree that was just packed as the layer of its archive. Moves the tree away. */
export async function keepModules(tree: string, archive: string, cacheDirectory: string): Promise<void> {
  await makeLayer(archive, cacheDirectory, async (target) => {
    await normaliseModes(tree);
    await rename(tree, target);
  });
}

/**
 * The archive's digest names the layer, so the layer may hold only what the archive holds. The code that ran has set
 * the modes, so they are reset.
 */
async function normaliseModes(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await normaliseModes(path);
    else if (entry.isFile()) {
      const { mode } = await stat(path);
      const normal = (mode & 0o100) === 0 ? 0o644 : 0o755;
      if ((mode & 0o7777) !== normal) await chmod(path, normal);
    }
  }
}

async function makeLayer(
  archive: string,
  cacheDirectory: string,
  make: (tree: string) => Promise<void>,
): Promise<string> {
  const digest = await sha256File(archive);
  const layer = await prepareLayer(cacheDirectory, `node-modules-3-${digest.slice(0, 32)}`, async (draft) => {
    await make(join(draft, 'tree'));
    const tree = join(draft, 'tree');
    for (const path of await findModules(tree)) await makeScratch(join(tree, path));
  });
  return join(layer, 'tree');
}

/**
 * Places among the modules where runners and bundlers write. In a read-only layer they must exist so that they can be
 * mounted over.
 */
export const SCRATCH_DIRECTORIES = ['.cache', '.tmp', '.vite', '.vite-temp', '.vitest'];

async function makeScratch(modules: string): Promise<void> {
  for (const name of SCRATCH_DIRECTORIES) {
    const path = join(modules, name);
    await mkdir(path, { recursive: true });
    if (sandboxOwner) await chown(path, sandboxOwner.uid, sandboxOwner.gid);
  }
}

const DEPTH = 4;

/** Finds the directories called node_modules that lie in no other, relative to `root`. Follows no links. */
export async function findModules(root: string, directory = '', depth = DEPTH): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, directory), { withFileTypes: true })) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (!entry.isDirectory()) continue;
    if (entry.name === 'node_modules') found.push(path);
    else if (depth > 0) found.push(...(await findModules(root, path, depth - 1)));
  }
  return found.sort();
}
