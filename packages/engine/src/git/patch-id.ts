import type { Repository } from './repository.ts';
import { runGit } from './run-git.ts';
import { unifiedDiff } from './unified-diff.ts';

/**
 * Returns git's id of what some paths change between two commits: equal for the same change made elsewhere in the
 * history. Null when git sees no text change. Throws `MISSING_OBJECT`.
 */
export async function patchId(
  repository: Repository,
  parent: string,
  commit: string,
  paths: readonly string[],
): Promise<string | null> {
  const diff = await unifiedDiff(repository, parent, commit, paths);
  const answer = await runGit(null, ['patch-id', '--stable'], { stdin: diff });
  return /^[0-9a-f]{40,64}/.exec(answer.toString('latin1'))?.[0] ?? null;
}
