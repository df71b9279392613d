import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';

/** Command lines have an end; a diff is put together from as many as it takes. */
const PATHS_AT_ONCE = 200;

/**
 * The change of some paths between two commits as git shows it, for people. Bytes and not text: file contents stand in
 * it as they are. Binary files are included; renames are shown as a deletion and an addition. Throws `MISSING_OBJECT`.
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
