import type { Merges } from '../../git/merges.ts';
import { readCommit, type Repository } from '../../git/repository.ts';
import { mergesMaintained } from '../told/merges.ts';
import { pullOf } from '../told/pull-of.ts';
import type { CommitData } from '../fixes/commit-data.ts';
import type { WholeBranches } from '../fixes/whole-branches.ts';

/** Longer lines of commits are not looked through. */
const MAX_LINE = 100;

export interface MergedPull {
  /** The commit with which it was merged: a merge, a squashed commit, or the last one of its own. */
  commit: string;
  number: number | null;
  /** First lines of its own commits, oldest first, where they are known. They tell a rebase from a squash. */
  subjects?: readonly string[];
}

/** What a pull request changed: all but what is told of it. `base` is set for a line of commits alone. */
export type PullChange = Pick<CommitData, 'commit' | 'base' | 'brought' | 'merge'>;

/**
 * Finds what a merged pull request changed: for a merge what it brought to the line of first parents, for squashed
 * commits the one, for rebased ones all. The same commits stand for it as where the history alone is walked. Null for a
 * merge that takes over a line which is maintained, and for one of several pull requests.
 */
export async function changeOfPull(
  repository: Repository,
  { merges, branches }: { merges: Merges; branches: WholeBranches },
  { commit, number, subjects = [] }: MergedPull,
): Promise<PullChange | null> {
  const { parents, message } = await readCommit(repository, commit);
  if (parents.length === 0 || mergesMaintained(message)) return null;
  if (parents.length > 1) {
    const brought = merges.byName.get(commit)?.branch ?? null;
    if (brought?.length === 1 && brought[0] !== undefined) return { commit: brought[0], merge: commit };
    if (brought !== null && brought.length > 0 && !(await branches.isOneThing(commit))) return null;
    return { commit, brought: [...(brought ?? [])] };
  }
  const line = await lineTo(repository, commit, { number, subjects });
  const [first] = line;
  if (line.length < 2 || first === undefined) return { commit };
  const base = (await readCommit(repository, first)).parents[0];
  return base === undefined ? null : { commit, base, brought: line };
}

/**
 * The commits of a pull request that was rebased, oldest first: those before the last one that are called like its own,
 * or that name its number.
 */
async function lineTo(
  repository: Repository,
  last: string,
  { number, subjects }: { number: number | null; subjects: readonly string[] },
): Promise<string[]> {
  const line: string[] = [];
  const expected = subjects.toReversed();
  for (let commit = last; line.length < MAX_LINE;) {
    const { parents, message } = await readCommit(repository, commit);
    const [subject = ''] = message.trimStart().split('\n', 1);
    const isOwn =
      subjects.length > 1
        ? subject.trim() === expected[line.length]?.trim()
        : number !== null && pullOf(message) === number;
    if (!isOwn || parents.length !== 1) break;
    line.unshift(commit);
    commit = parents[0] ?? '';
  }
  return subjects.length > 1 && line.length !== subjects.length ? [last] : line;
}
