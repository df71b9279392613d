import { readCommit, type Repository } from '../../../git/repository.ts';
import { rejectionOf } from '../../candidate.ts';
import type { PullRequest, PullSource } from '../../forges/pull-request.ts';
import { patchOfFix } from '../../fixes/patch-of-fix.ts';
import type { CollectRequest, Found } from '../pipeline.ts';
import { readHistory, readLines, walkTold, type History, type Lines } from './history.ts';
import { changeOfPull, type PullChange } from './pull-change.ts';
import type { PullData } from './pull-data.ts';
import type { PullEnd, PullNotes } from './pull-notes.ts';
import { textsOf } from './texts-of.ts';

/** A pull request that may be a candidate. */
interface Merged {
  /** The name for people: `#12`. */
  name: string;
  number: number | null;
  /** The commit with which it was merged. */
  commit: string;
  /** What its forge or an export tells of it. */
  pull: PullRequest | null;
}

export interface PullCollection {
  notes: PullNotes;
  source: PullSource | null;
  /** `host/owner/name` of the repository, where it is known. */
  own: string | null;
}

/**
 * Yields merged pull requests that change code and tests of one ecosystem, newest first: those of a forge or of an
 * export, else those that the messages of the history name. Of those with the same change, the first.
 */
export async function* findPulls(
  request: CollectRequest,
  { notes, source, own }: PullCollection,
): AsyncGenerator<Found<PullData>> {
  const { repository, signal } = request;
  const history = source ? await readHistory(request, own) : null;
  const lines = history ?? (await readLines(request));
  const seen = { patches: new Set<string>(), names: new Set<string>(), commits: new Set<string>() };
  const merged =
    source && history
      ? mergedAt(request, history, { notes, source })
      : mergedIn(request, lines, { notes, taken: seen.commits });
  for await (const each of merged) {
    signal?.throwIfAborted();
    if (seen.commits.has(each.commit)) continue;
    const change = await changeFor(repository, lines, each, source);
    if (change === null) {
      notes.ended('several', each.name);
      continue;
    }
    for (const commit of change.brought ?? [each.commit]) seen.commits.add(commit);
    const parent = change.base ?? (await readCommit(repository, change.commit)).parents[0];
    const patch = parent === undefined ? null : await patchOfFix(repository, { parent, commit: change.commit });
    if (patch === null || seen.patches.has(patch)) {
      notes.ended(patch === null ? 'untested' : 'repeated', each.name);
      continue;
    }
    seen.patches.add(patch);
    notes.found();
    const issues = each.pull && source ? await textsOf(each.pull, source, signal) : [];
    const label = seen.names.has(each.name) ? `${each.name} ${each.commit.slice(0, 10)}` : each.name;
    seen.names.add(each.name);
    const { commit, brought } = change;
    const fix = { ...change, ...(issues.length > 0 && { issues }) };
    const data = { ...(each.number !== null && { pull: each.number }), fix };
    yield { label, commit, ...(brought && { brought }), data };
  }
}

/** The pull requests that messages name, newest first. */
async function* mergedIn(
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
async function* mergedAt(
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
function commitOf({ number, mergeCommit, headCommit }: PullRequest, { holds, byPull }: History): string | null {
  if (mergeCommit !== null && holds(mergeCommit)) return mergeCommit;
  const [named] = byPull.get(number) ?? [];
  return named ?? (headCommit !== null && holds(headCommit) ? headCommit : null);
}

/** Why a pull request is not of the history: its commit lies on another line, or nowhere. */
async function endWithout(repository: Repository, { mergeCommit }: PullRequest): Promise<PullEnd> {
  if (mergeCommit === null) return 'absent';
  try {
    await readCommit(repository, mergeCommit);
    return 'elsewhere';
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return 'absent';
    throw error;
  }
}

/** What a pull request changed; null where that is no thing of its own. */
async function changeFor(
  repository: Repository,
  lines: Lines,
  { commit, number, pull }: Merged,
  source: PullSource | null,
): Promise<PullChange | null> {
  try {
    const isMerge = (await readCommit(repository, commit)).parents.length > 1;
    const subjects = isMerge || !pull ? [] : (pull.subjects ?? (await source?.subjects(pull.number)) ?? []);
    return await changeOfPull(repository, lines, { commit, number, subjects });
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return { commit };
    throw error;
  }
}
