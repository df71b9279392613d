import { AssayError } from '@assay/protocol';
import type { ImportedRepository } from './import-repository.ts';
import { readCommit } from './repository.ts';
import { runGit } from './run-git.ts';

export interface Candidate {
  commit: string;
  /** The first one, of a merge. */
  parent: string;
  isMerge: boolean;
  /** T0: the committer time of the parent. */
  time: Date;
  /** Decoded message of the commit. */
  message: string;
}

export interface WalkOptions {
  /** Leaves out commits whose committer time is earlier. */
  since?: Date | string;
  /** Maximum number of candidates. */
  limit?: number;
  /** Yields merges, too. Default false. */
  merges?: boolean;
  signal?: AbortSignal;
}

/**
 * Yields the commits reachable from HEAD that have exactly one parent, or at least one, newest first. Throws `BAD_OPTION` when `since`
 * is not a date, and `MISSING_OBJECT` when the history has a hole.
 */
export async function* walkCandidates(
  repository: ImportedRepository,
  options: WalkOptions = {},
): AsyncGenerator<Candidate> {
  const since = sinceSeconds(options.since);
  const limit = options.limit ?? Infinity;
  if (limit <= 0) return;
  const most = options.merges ? [] : ['--max-parents=1'];
  const args = ['rev-list', '--timestamp', '--min-parents=1', ...most, repository.head];
  const listing = await runGit(repository.gitDirectory, args, { signal: options.signal });
  let count = 0;
  for (const line of listing.toString('latin1').split('\n')) {
    const [seconds, commit] = line.split(' ');
    if (commit === undefined || Number(seconds) < since) continue;
    options.signal?.throwIfAborted();
    const { parents, message } = await readCommit(repository, commit);
    const [parent] = parents;
    if (parent === undefined) continue;
    const { time } = await readCommit(repository, parent);
    yield { commit, parent, isMerge: parents.length > 1, time, message };
    if (++count >= limit) return;
  }
}

function sinceSeconds(since: Date | string | undefined): number {
  if (since === undefined) return -Infinity;
  const milliseconds = new Date(since).getTime();
  if (Number.isNaN(milliseconds))
    throw new AssayError('BAD_OPTION', {
      option: '--since',
      detail: `${String(since)} is no date (such as 2024-01-31)`,
    });
  return milliseconds / 1000;
}
