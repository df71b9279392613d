import { ECOSYSTEMS } from '../../../ecosystems/index.ts';
import type { Ecosystem } from '../../../ecosystems/ecosystem.ts';
import { changedFiles, type ChangedFile } from '../../../git/changed-files.ts';
import { readCommit, type Repository } from '../../../git/repository.ts';
import { walkCandidates } from '../../../git/walk-candidates.ts';
import { Rejection, rejectionOf, type Candidate } from '../../candidate.ts';
import { candidateOfCommits } from '../../candidate-of-commits.ts';
import { codeKinds } from '../../parts-of-change.ts';
import type { CollectRequest, Found } from '../pipeline.ts';

/** Yields commits that change code and tests of one ecosystem, newest first; also those whose change is not there. */
export async function* walkFixes({
  repository,
  since,
  signal,
}: CollectRequest): AsyncGenerator<Found<{ commit: string }>> {
  for await (const { commit, parent } of walkCandidates(repository, { since, signal })) {
    signal?.throwIfAborted();
    if (await mayBeFix(repository, parent, commit)) yield { label: commit.slice(0, 10), data: { commit } };
  }
}

async function mayBeFix(repository: Repository, parent: string, commit: string): Promise<boolean> {
  try {
    return ecosystemOfFix(await changedFiles(repository, parent, commit)) !== undefined;
  } catch (error) {
    if (rejectionOf(error)?.reason === 'missing_objects') return true;
    throw error;
  }
}

/** Makes the candidate of a commit against its parent. Throws `no_ecosystem`, and as `candidateOfCommits` does. */
export async function readFix(repository: Repository, commit: string): Promise<Candidate> {
  const { parents, message } = await readCommit(repository, commit);
  const [base] = parents;
  if (base === undefined) throw new Rejection('no_fix_commit', `${commit} has no parent`);
  const files = await changedFiles(repository, base, commit);
  const ecosystem = ecosystemOfFix(files);
  if (!ecosystem) throw new Rejection('no_ecosystem', 'no ecosystem that Assay knows has its code and tests changed');
  const { time: t0 } = await readCommit(repository, base);
  return candidateOfCommits(repository, { base, t0, commit, files, ecosystem }, { message });
}

function ecosystemOfFix(files: readonly ChangedFile[]): Ecosystem | undefined {
  const paths = files.map(({ path }) => path);
  return ECOSYSTEMS.find((each) => {
    const { source, test } = codeKinds(each, paths);
    return source && test;
  });
}
