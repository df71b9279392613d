import { CommitName } from '@assay/protocol';
import { z } from 'zod';
import { ECOSYSTEMS } from '../../../ecosystems/index.ts';
import type { Ecosystem } from '../../../ecosystems/ecosystem.ts';
import { changedFiles, type ChangedFile } from '../../../git/changed-files.ts';
import { patchId } from '../../../git/patch-id.ts';
import { readCommit, type Repository } from '../../../git/repository.ts';
import { walkCandidates } from '../../../git/walk-candidates.ts';
import { Rejection, rejectionOf, type Candidate } from '../../candidate.ts';
import { candidateOfCommits, MAX_FILES, pathsOf } from '../../candidate-of-commits.ts';
import { codeKinds, partOf } from '../../parts-of-change.ts';
import type { IssueExport } from '../../told/issue-export.ts';
import { issuesOf } from '../../told/issues-of.ts';
import { mergesByCommit, type Merge } from '../../told/merges.ts';
import type { CollectRequest, Found } from '../pipeline.ts';
import { tellCommit } from './tell.ts';
import type { WalkNotes } from './walk-notes.ts';

/** What is known of a commit before it is read. */
export type CommitData = z.infer<typeof CommitData>;
export const CommitData = z.strictObject({
  commit: CommitName,
  /** The merge that brought it to the line of HEAD. */
  merge: CommitName.optional(),
  /** Issues and pull requests that belong to it. */
  issues: z.array(z.strictObject({ source: z.enum(['issue', 'pull request']), text: z.string() })).optional(),
});

/**
 * Yields commits that change code and tests of one ecosystem, newest first; also those whose change is not there. Of
 * commits with the same change to them, the newest.
 */
export async function* walkFixes(
  { repository, since, signal }: CollectRequest,
  notes: WalkNotes,
  exported: IssueExport | null = null,
): AsyncGenerator<Found<CommitData>> {
  const patches = new Set<string>();
  const merges = await mergesByCommit(repository);
  for await (const { commit, parent } of walkCandidates(repository, { since, signal })) {
    signal?.throwIfAborted();
    const patch = await patchOfFix(repository, { parent, commit }, notes);
    if (patch === null) continue;
    if (patches.has(patch)) {
      notes.repeated();
      continue;
    }
    patches.add(patch);
    notes.found();
    const merge = await soleMerge(repository, commit, merges.get(commit));
    const issues = exported && (await joined(repository, { commit, merge }, exported));
    const data = { commit, ...(merge !== undefined && { merge }), ...(issues && issues.length > 0 && { issues }) };
    yield { label: commit.slice(0, 10), commit, data };
  }
}

/** What an export has of a commit, by its message and that of its merge. */
async function joined(
  repository: Repository,
  { commit, merge }: CommitData,
  exported: IssueExport,
): Promise<NonNullable<CommitData['issues']>> {
  const messages = await Promise.all(
    [commit, ...(merge === undefined ? [] : [merge])].map(async (name) => (await readCommit(repository, name)).message),
  );
  return issuesOf(messages, exported);
}

/** The merge that brought a commit, unless it brought another fix too: its title and number may be of that one. */
async function soleMerge(
  repository: Repository,
  commit: string,
  found: Merge | undefined,
): Promise<string | undefined> {
  for (const other of found?.brought ?? []) {
    if (other === commit) continue;
    const [parent] = (await readCommit(repository, other)).parents;
    if (parent !== undefined && (await mayBeFix(repository, parent, other))) return undefined;
  }
  return found?.merge;
}

async function mayBeFix(repository: Repository, parent: string, commit: string): Promise<boolean> {
  try {
    return ecosystemOfFix(await changedFiles(repository, parent, commit)) !== undefined;
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return true;
    throw error;
  }
}

/** What tells a fix from others; null for a commit that is none. */
async function patchOfFix(
  repository: Repository,
  { parent, commit }: { parent: string; commit: string },
  notes: WalkNotes,
): Promise<string | null> {
  try {
    const files = await changedFiles(repository, parent, commit);
    notes.walked(files.map(({ path }) => path));
    const ecosystem = ecosystemOfFix(files);
    if (!ecosystem) return null;
    const part = partOf(ecosystem);
    const paths = pathsOf(files.filter(({ path }) => part(path) !== null));
    return paths.length > 2 * MAX_FILES ? commit : ((await patchId(repository, parent, commit, paths)) ?? commit);
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return commit;
    throw error;
  }
}

/** Makes the candidate of a commit against its parent. Throws `no_ecosystem`, `chore`, and as `candidateOfCommits` does. */
export async function readFix(repository: Repository, { commit, merge, issues }: CommitData): Promise<Candidate> {
  const { parents, message } = await readCommit(repository, commit);
  const [base] = parents;
  if (base === undefined) throw new Rejection('no_fix_commit', `${commit} has no parent`);
  const files = await changedFiles(repository, base, commit);
  const ecosystem = ecosystemOfFix(files);
  if (!ecosystem) throw new Rejection('no_ecosystem', 'no ecosystem that Assay knows has its code and tests changed');
  const sources = await tellCommit(repository, { message, files, merge, issues });
  const { time: t0 } = await readCommit(repository, base);
  return candidateOfCommits(repository, { base, t0, commit, files, ecosystem }, { message, sources });
}

function ecosystemOfFix(files: readonly ChangedFile[]): Ecosystem | undefined {
  const paths = files.map(({ path }) => path);
  return ECOSYSTEMS.find((each) => {
    const { source, test } = codeKinds(each, paths);
    return source && test;
  });
}
