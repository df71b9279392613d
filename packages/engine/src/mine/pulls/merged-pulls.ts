import { readCommit, type Repository } from '../../git/repository.ts';
import { rejectionOf } from '../candidate.ts';
import type { PullRequest, PullSource } from '../forges/pull-request.ts';
import type { CollectRequest } from '../pipelines/pipeline.ts';
import { walkTold, type History, type Lines } from './history.ts';
import type { PullEnd, PullNotes } from './pull-notes.ts';

/** A pull request that may be a candidate, or a commit that was asked for. */
export interface Merged {
  /** The name for people: `#12`. */
  name: string;
  number: number | null;
  /** The commit with which it was merged. */
  commit: string;
  /** What its forge or an export tells of it. */
  pull: PullRequest | null;
  /** An issue that it was found by. */
  issue?: number;
}

/** The pull requests that messages name, newest first. */
export async function* mergedIn(
  request: CollectRequest,
  lines: Lines,
  { notes, taken }: { notes: PullNotes; taken: ReadonlySet<string> },
): AsyncGenerator<Merged> {
  const after = sinceTime(request.since);
  for await (const { commit, time, pull: number } of walkTold(request, lines)) {
    if (number === null || taken.has(commit)) continue;
    notes.read();
    const name = `#${number}`;
    if (time.getTime() < after) notes.ended('early', name);
    else yield { name, number, commit, pull: null };
  }
}

/** The merged pull requests of a forge or of an export, where the history holds them. */
export async function* mergedAt(
  { repository, since, signal }: CollectRequest,
  history: History,
  { notes, source }: { notes: PullNotes; source: PullSource },
): AsyncGenerator<Merged> {
  const after = sinceTime(since);
  for await (const pull of source.pulls({ since, signal })) {
    notes.read();
    const name = `#${pull.number}`;
    const commit = commitOf(pull, history);
    if (pull.mergedAt === null) notes.ended('unmerged', name);
    else if (pull.isDraft) notes.ended('draft', name);
    else if (new Date(pull.mergedAt).getTime() < after) notes.ended('early', name);
    else if (commit === null) notes.ended(await endWithout(repository, pull), name);
    else yield { name, number: pull.number, commit, pull };
  }
}

const sinceTime = (since: string | undefined): number => (since === undefined ? -Infinity : new Date(since).getTime());

/**
 * The commit of the history with which a pull request was merged: as its forge says, else the one that names its number,
 * as history may have been rewritten; else its last own commit, where it was merged without a commit of its own.
 */
export function commitOf(
  { number, mergeCommit, headCommit }: PullRequest,
  { holds, byPull }: Pick<History, 'holds' | 'byPull'>,
): string | null {
  if (mergeCommit !== null && holds(mergeCommit)) return mergeCommit;
  const [named] = byPull.get(number) ?? [];
  return named ?? (headCommit !== null && holds(headCommit) ? headCommit : null);
}

/** Why a pull request is not of the history: its commit lies on another line, or nowhere. */
async function endWithout(repository: Repository, { mergeCommit }: PullRequest): Promise<PullEnd> {
  return mergeCommit !== null && (await isThere(repository, mergeCommit)) ? 'elsewhere' : 'absent';
}

/** Whether a clone holds a commit, on whatever line. */
export async function isThere(repository: Repository, commit: string): Promise<boolean> {
  try {
    await readCommit(repository, commit);
    return true;
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return false;
    throw error;
  }
}
