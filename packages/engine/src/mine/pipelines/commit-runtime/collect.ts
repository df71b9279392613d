import { readMerges, type Merge } from '../../../git/merges.ts';
import { readCommit, type Repository } from '../../../git/repository.ts';
import { walkCandidates } from '../../../git/walk-candidates.ts';
import type { IssueExport } from '../../told/issue-export.ts';
import type { CollectRequest, Found } from '../pipeline.ts';
import type { CommitData } from '../../fixes/commit-data.ts';
import { ecosystemOfFix, knownChanges } from '../../fixes/is-fix.ts';
import { issuesOfFix } from '../../fixes/issues-of-fix.ts';
import { patchOfFix } from '../../fixes/patch-of-fix.ts';
import { LaterTests } from './later-tests.ts';
import type { WalkNotes } from './walk-notes.ts';
import { WholeBranches } from '../../fixes/whole-branches.ts';

/** A merge of more commits than this tells of their sum. */
const MAX_TITLED = 6;

/**
 * Yields commits that change code and tests of one ecosystem, newest first; also those whose change is not there. A
 * merge that brought several commits for one thing stands for them, and a commit without tests is one when a later commit
 * brought them. Of those with the same change, the newest.
 */
export async function* walkFixes(
  { repository, since, signal }: CollectRequest,
  notes: WalkNotes,
  exported: IssueExport | null = null,
): AsyncGenerator<Found<CommitData>> {
  const merges = await readMerges(repository);
  const branches = new WholeBranches(repository, merges);
  const later = new LaterTests(repository, merges.line, branches);
  const patches = new Set<string>();
  const walked = (paths: string[]): void => notes.walked(paths);
  for await (const { commit, parent, isMerge } of walkCandidates(repository, { since, signal, merges: true })) {
    signal?.throwIfAborted();
    const brought = isMerge ? await branches.at(commit) : null;
    const own =
      isMerge && !brought
        ? null
        : await patchOfFix(repository, { parent, commit }, { walked: isMerge ? undefined : walked });
    if (own !== null && !isMerge && (await branches.holding(commit))) continue;
    const tests = own === null ? await later.of(commit) : null;
    const patch = own ?? (tests === null ? null : commit);
    if (patch === null) continue;
    if (patches.has(patch)) {
      notes.repeated();
      continue;
    }
    patches.add(patch);
    const parts = brought ?? (isMerge ? merges.byName.get(commit)?.branch : null) ?? undefined;
    for (const part of brought ?? []) patches.add((await patchOfFix(repository, await ownChange(part))) ?? part);
    notes.found({ brought: parts?.length, isTestedLater: tests !== null });
    const merge = parts ? undefined : await soleMerge(repository, commit, merges.byCommit.get(commit));
    const names = { commit, ...(parts && { brought: [...parts] }), ...(tests !== null && { tests }) };
    const fix: CommitData = { ...names, ...(merge !== undefined && { merge }) };
    const issues = exported && (await issuesOfFix(repository, fix, exported));
    const data = issues && issues.length > 0 ? { ...fix, issues } : fix;
    yield { label: commit.slice(0, 10), ...names, data };
  }

  async function ownChange(commit: string): Promise<{ parent: string; commit: string }> {
    return { parent: (await readCommit(repository, commit)).parents[0] ?? commit, commit };
  }
}

/** The merge that brought a commit, unless it brought another fix too: its title and number may be of that one. */
async function soleMerge(
  repository: Repository,
  commit: string,
  found: Merge | undefined,
): Promise<string | undefined> {
  if (found === undefined || found.brought.length > MAX_TITLED) return undefined;
  for (const other of found.brought) {
    if (other === commit) continue;
    const [parent] = (await readCommit(repository, other)).parents;
    if (parent !== undefined && (await mayBeFix(repository, parent, other))) return undefined;
  }
  return found.merge;
}

async function mayBeFix(repository: Repository, parent: string, commit: string): Promise<boolean> {
  const files = await knownChanges(repository, parent, commit);
  return files === null || ecosystemOfFix(files) !== undefined;
}
