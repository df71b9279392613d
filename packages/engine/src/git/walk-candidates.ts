import { AssayError } from '@assay/protocol';
import type { ImportedRepository } from './import-repository.ts';
import { readCommit } from './repository.ts';
import { runGit } from './run-git.ts';

export interface Candidate {
  commit: string;
  parent: string;
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
  signal?: AbortSignal;
}

/**
 * Yields the commits reachable from HEAD that have exactly one parent, newest first. Throws `BAD_OPTION` when `since`
 * is not a date, and `MISSING_OBJECT` when the history has a hole.
 */
export async function* walkCandidates(
  repository: ImportedRepository,
  options: WalkOptions = {},
): AsyncGenerator<Candidate> {
  const since = sinceSeconds(options.since);
  const limit = options.limit ?? Infinity;
  if (limit <= 0) return;
  const args = ['rev-list', '--timestamp', '--min-parents=1', '--max-parents=1', repository.head];
  const listing = await runGit(repository.gitDirectory, args, { signal: options.signal });
  let count = 0;
  for (const line of listing.toString('latin1').split('\n')) {
    const [seconds, commit] = line.split(' ');
    if (commit === undefined || Number(seconds) < since) continue;
    options.signal?.throwIfAborted();
    const { parents, message } = await readCommit(repository, commit);
    const [parent] = parents;
    if (parent === undefined) continue;
    yield { commit, parent, time: (await readCommit(repository, parent)).time, message };
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
