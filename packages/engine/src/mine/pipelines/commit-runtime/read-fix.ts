import { changedFiles } from '../../../git/changed-files.ts';
import { readCommit, type Repository } from '../../../git/repository.ts';
import { Rejection, type Candidate } from '../../candidate.ts';
import { candidateOfCommits } from '../../candidate-of-commits.ts';
import type { CommitData } from './commit-data.ts';
import { ecosystemOfFix } from './is-fix.ts';
import { tellBranch } from './tell-branch.ts';
import { tellCommit } from './tell.ts';

/**
 * Makes the candidate of a commit, or of a merge, against its first parent. Throws `no_ecosystem`, `chore`, and as
 * `candidateOfCommits` does.
 */
export async function readFix(
  repository: Repository,
  { commit, brought, merge, issues }: CommitData,
): Promise<Candidate> {
  const { parents, message: own } = await readCommit(repository, commit);
  const [base] = parents;
  if (base === undefined) throw new Rejection('no_fix_commit', `${commit} has no parent`);
  const files = await changedFiles(repository, base, commit);
  const ecosystem = ecosystemOfFix(files);
  if (!ecosystem) throw new Rejection('no_ecosystem', 'no ecosystem that Assay knows has its code and tests changed');
  const told = brought ? await tellBranch(repository, own, brought) : { message: own };
  const sources = await tellCommit(repository, { ...told, files, merge, issues });
  const { time: t0 } = await readCommit(repository, base);
  return candidateOfCommits(repository, { base, t0, commit, files, ecosystem }, { message: told.message, sources });
}
