import { changedFiles, type ChangedFile } from '../../git/changed-files.ts';
import { readCommit, type Repository } from '../../git/repository.ts';
import { Rejection, type Candidate } from '../candidate.ts';
import { candidateOfCommits, pathsOf } from '../candidate-of-commits.ts';
import { partOf } from '../parts-of-change.ts';
import type { CommitData } from './commit-data.ts';
import { ecosystemOfFix, type FixKind } from './is-fix.ts';
import { tellBranch } from './tell-branch.ts';
import { tellCommit } from './tell.ts';

/**
 * Makes the candidate of a commit, a merge or a line of commits, against what was there before. Throws `no_ecosystem`, `chore`, and as
 * `candidateOfCommits` does.
 */
export async function readFix(
  repository: Repository,
  { commit, base: before, brought, tests, merge, issues }: CommitData,
  kind: FixKind = {},
): Promise<Candidate> {
  const { parents, message: commitMessage } = await readCommit(repository, commit);
  const base = before ?? parents[0];
  if (base === undefined) throw new Rejection('no_fix_commit', `${commit} has no parent`);
  const fixed = await changedFiles(repository, base, commit);
  const later = tests === undefined ? null : await laterFiles(repository, { base, tests });
  const ecosystem = ecosystemOfFix([...fixed, ...(later?.since ?? [])], kind);
  if (!ecosystem) throw new Rejection('no_ecosystem', 'no ecosystem that Assay knows has its code and tests changed');
  const isTest = ({ path }: ChangedFile): boolean => partOf(ecosystem)(path) === 'hidden';
  const files = later ? [...fixed.filter((file) => !isTest(file)), ...later.since.filter(isTest)] : fixed;
  const told = brought
    ? await tellBranch(repository, before === undefined ? commitMessage : '', brought)
    : { message: commitMessage };
  const sources = await tellCommit(repository, { ...told, files: [...fixed, ...(later?.own ?? [])], merge, issues });
  const { time: t0 } = await readCommit(repository, base);
  return candidateOfCommits(repository, { base, t0, commit, files, ecosystem }, { message: told.message, sources });
}

/** The files that a commit changes, as it changes them and as they differ from T0 by then. */
async function laterFiles(
  repository: Repository,
  { base, tests }: { base: string; tests: string },
): Promise<{ own: ChangedFile[]; since: ChangedFile[] }> {
  const [parent] = (await readCommit(repository, tests)).parents;
  const own = parent === undefined ? [] : await changedFiles(repository, parent, tests);
  const paths = new Set(pathsOf(own));
  const since = await changedFiles(repository, base, tests);
  return { own, since: since.filter((file) => pathsOf([file]).some((path) => paths.has(path))) };
}
