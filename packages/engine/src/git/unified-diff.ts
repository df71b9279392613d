import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** Command lines are limited in length, so a diff is assembled from several. */
const PATHS_AT_ONCE = 200;

/**
 * Returns the diff of some paths between two commits, for people to read. It is bytes, not text, because file contents
 * appear in it unchanged. Binary files are included; a rename appears as a deletion and an addition. Throws
 * `MISSING_OBJECT`.
 */
export async function unifiedDiff(
  repository: Repository,
  parent: string,
  commit: string,
  paths: readonly string[],
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const sorted = [...paths].sort();
  for (let start = 0; start < sorted.length; start += PATHS_AT_ONCE) {
    const args = [
      'diff-tree',
      '-r',
      '-p',
      '--binary',
      '--full-index',
      '--no-color',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      parent,
      commit,
      '--',
      ...sorted.slice(start, start + PATHS_AT_ONCE),
    ];
    parts.push(await runGit(repository.gitDirectory, args));
  }
  return Buffer.concat(parts);
}
