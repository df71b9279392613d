import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '@assay/files/change-set';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import { isOutputFile } from '@assay/files/build-output';
import { collectChange, type TreeManifest } from '@assay/files/tree-manifest';

/**
 * The seal `manifest` off: what a collector does that opens every path, links included, in the host's name space, takes
 * compiled files, counts nothing, and leaves out what git is told to leave out.
 */
export async function collectFollowingLinks(directory: string, t0: TreeManifest): ReturnType<typeof collectChange> {
  const collected = await collectChange(directory, t0, { maxFiles: Infinity });
  const excluded = readRegularFileBelow(directory, '.git/info/exclude')?.toString('utf8').split('\n') ?? [];
  const files = [
    ...collected.change.files.filter(({ path }) => !excluded.includes(path)),
    ...(await readLinks(directory)),
    ...readOutput(directory, collected.dropped),
  ];
  return { ...collected, change: { ...collected.change, files } };
}

async function readLinks(directory: string): Promise<FileChange[]> {
  const files: FileChange[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(directory, entry.name);
    const target = await stat(path).catch(() => null);
    if (target?.isFile()) files.push({ path: entry.name, content: await readFile(path), executable: false });
  }
  return files;
}

function readOutput(directory: string, dropped: readonly { path: string }[]): FileChange[] {
  return dropped.flatMap(({ path }): FileChange[] => {
    const content = isOutputFile(path) ? readRegularFileBelow(directory, path) : null;
    return content === null ? [] : [{ path, content, executable: false }];
  });
}
