import type { ChangeSet } from '@assay/files/change-set';
import { unsafePathReason } from '@assay/files/safe-path';
import { fileAt } from '../git/file-at.ts';
import { readCommit, type Repository } from '../git/repository.ts';
import { diffOfChange } from '../verify/diff/diff-of-change.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { ecosystemOfChange, partOf, type Part } from './parts-of-change.ts';

/** A change that is in no commit: a model wrote it, or it came as data. */
export interface MadeChange {
  /** The commit that it applies to. */
  base: string;
  /** What T0 lacks of the base, as a change against it. */
  removed?: ChangeSet;
  /** Against T0. Solution and tests together. */
  change: ChangeSet;
}

/**
 * Makes a candidate from a change of files, for pipelines whose problems are not commits: synthesised ones, imported
 * rows. Throws `no_ecosystem`, `unsupported_entry` and `MISSING_OBJECT`.
 */
export async function candidateOfChange(
  repository: Repository,
  { base, removed, change }: MadeChange,
  problem: Pick<Candidate, 'message' | 'identifiers' | 'fixed' | 'byModel'>,
): Promise<Candidate> {
  const paths = [...change.files.map(({ path }) => path), ...change.deleted];
  for (const path of paths) {
    const unsafe = unsafePathReason(path);
    if (unsafe !== null) throw new Rejection('unsupported_entry', `${JSON.stringify(path.slice(0, 200))}: ${unsafe}`);
  }
  const ecosystem = ecosystemOfChange(paths);
  if (!ecosystem) throw new Rejection('no_ecosystem', 'the change holds no code of an ecosystem that Assay knows');
  const part = partOf(ecosystem);
  const only = (wanted: Part): ChangeSet => ({
    files: change.files.filter(({ path }) => part(path) === wanted),
    deleted: change.deleted.filter((path) => part(path) === wanted),
  });
  const reference = only('reference');
  return {
    base,
    ...(removed && { removed }),
    t0: (await readCommit(repository, base)).time,
    ...problem,
    ecosystem,
    reference,
    steering: only('steering'),
    hidden: only('hidden'),
    referenceDiff: await diffOf((path) => atT0(repository, { base, removed }, path), reference),
  };
}

function atT0(
  repository: Repository,
  { base, removed }: Pick<MadeChange, 'base' | 'removed'>,
  path: string,
): Promise<Buffer | null> | Buffer | null {
  if (removed?.deleted.includes(path) === true) return null;
  return removed?.files.find((file) => file.path === path)?.content ?? fileAt(repository, base, path);
}

async function diffOf(
  read: (path: string) => Promise<Buffer | null> | Buffer | null,
  { files, deleted }: ChangeSet,
): Promise<string> {
  const after = [...files.map((file) => ({ path: file.path, file })), ...deleted.map((path) => ({ path, file: null }))];
  const sides = after.map(async ({ path, file }) => ({ path, before: await read(path), after: file }));
  return diffOfChange(await Promise.all(sides));
}
