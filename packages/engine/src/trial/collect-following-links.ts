import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { collectChange, type TreeManifest } from '@assay/files/tree-manifest';

/** The seal `manifest` off: what a collector does that opens every path, links included, in the host's name space. */
export async function collectFollowingLinks(directory: string, t0: TreeManifest): ReturnType<typeof collectChange> {
  const collected = await collectChange(directory, t0);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(directory, entry.name);
    const target = await stat(path).catch(() => null);
    if (target?.isFile())
      collected.change.files.push({ path: entry.name, content: await readFile(path), executable: false });
  }
  return collected;
}
