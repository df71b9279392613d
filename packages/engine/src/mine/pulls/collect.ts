import { readCommit, type Repository } from '../../git/repository.ts';
import { rejectionOf } from '../candidate.ts';
import { patchOfFix } from '../fixes/patch-of-fix.ts';
import type { PullSource } from '../forges/pull-request.ts';
import type { HostAddress } from '../told/address.ts';
import type { IssueExport } from '../told/issue-export.ts';
import type { CollectRequest, Found } from '../pipelines/pipeline.ts';
import { pullOf } from '../told/pull-of.ts';
import { readHistory, readLines, type Lines } from './history.ts';
import { mergedAt, mergedIn, type Merged } from './merged-pulls.ts';
import { namedBy } from './named-pulls.ts';
import { changeOfPull, type PullChange } from './pull-change.ts';
import type { PullData } from './pull-data.ts';
import type { PullNotes } from './pull-notes.ts';
import { textsOf } from './texts-of.ts';

export interface PullCollection {
  notes: PullNotes;
  /** A forge, or an export of pull requests; without one, the history alone names them. */
  source: PullSource | null;
  issues: IssueExport | null;
  /** What is asked for, in place of everything. */
  named: readonly HostAddress[] | null;
  /** `host/owner/name` of the repository, where it is known. */
  own: string | null;
  /** Take those that bring no tests, too. Default false. */
  untested?: boolean;
}

/**
 * Yields merged pull requests that change code and tests of one ecosystem, newest first: those of a forge or of an
 * export, else those that the messages of the history name; or those that were asked for, in that order. Of those with the
 * same change, the first.
 */
export async function* findPulls(request: CollectRequest, collection: PullCollection): AsyncGenerator<Found<PullData>> {
  const { repository, signal } = request;
  const { notes, source, untested } = collection;
  const seen = { patches: new Set<string>(), names: new Set<string>(), commits: new Set<string>() };
  const { lines, merged } = await mergedOf(request, collection, seen.commits);
  for await (const each of merged) {
    signal?.throwIfAborted();
    if (seen.commits.has(each.commit)) continue;
    const change = await changeFor(repository, lines, { ...each, source });
    if (change === null) {
      notes.ended('several', each.name);
      continue;
    }
    for (const commit of change.brought ?? [each.commit]) seen.commits.add(commit);
    const parent = change.base ?? (await readCommit(repository, change.commit)).parents[0];
    const patch =
      parent === undefined ? null : await patchOfFix(repository, { parent, commit: change.commit }, { untested });
    if (patch === null || seen.patches.has(patch)) {
      notes.ended(patch === null ? 'untested' : 'repeated', each.name);
      continue;
    }
    seen.patches.add(patch);
    notes.found();
    const issues = await textsOf(each, change, { repository, ...collection, signal });
    const label = seen.names.has(each.name) ? `${each.name} ${each.commit.slice(0, 10)}` : each.name;
    seen.names.add(each.name);
    const fix = { ...change, ...(issues.length > 0 && { issues }) };
    const data = { ...(each.number !== null && { pull: each.number }), fix };
    const { base, commit, brought } = change;
    yield { label, ...(base !== undefined && { base }), commit, ...(brought && { brought }), data };
  }
}

async function mergedOf(
  request: CollectRequest,
  { notes, source, named, own }: PullCollection,
  taken: ReadonlySet<string>,
): Promise<{ lines: Lines; merged: AsyncGenerator<Merged> }> {
  if (!source && !named) {
    const lines = await readLines(request);
    return { lines, merged: mergedIn(request, lines, { notes, taken }) };
  }
  const history = await readHistory(request, own);
  if (named) return { lines: history, merged: namedBy(named, request, { history, notes, source }) };
  return {
    lines: history,
    merged: source ? mergedAt(request, history, { notes, source }) : mergedIn(request, history, { notes, taken }),
  };
}

/** What a pull request changed; null where that is no thing of its own. */
async function changeFor(
  repository: Repository,
  lines: Lines,
  { commit, number, pull, source }: Merged & { source: PullSource | null },
): Promise<PullChange | null> {
  try {
    const { parents, message } = await readCommit(repository, commit);
    // The history tells all of a merge, and of commits that name their pull request.
    const isTold = parents.length > 1 || !pull || pullOf(message) === number;
    const subjects = isTold ? [] : (pull.subjects ?? (await source?.subjects(pull.number)) ?? []);
    return await changeOfPull(repository, lines, { commit, number, subjects });
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return { commit };
    throw error;
  }
}
