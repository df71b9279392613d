import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import { readChange, type ChangedFile } from '../git/changed-files.ts';
import { readCommit, type Repository } from '../git/repository.ts';
import { unifiedDiff } from '../git/unified-diff.ts';
import { Rejection, type Candidate } from './candidate.ts';
import { partOf, type Part } from './parts-of-change.ts';

/** More than a person would review as one fix. */
export const MAX_FILES = 40;

/** A change between two commits, the first of which is T0. */
export interface FixRange {
  base: string;
  /** Time of the base. */
  t0: Date;
  commit: string;
  files: ChangedFile[];
  ecosystem: Ecosystem;
}

/**
 * Makes a candidate from a change in the history, for pipelines that start from commits. Throws `too_large` and
 * whatever `readChange` throws.
 */
export async function candidateOfCommits(
  repository: Repository,
  { base, t0, commit, files, ecosystem }: FixRange,
  problem: Pick<Candidate, 'message' | 'sources' | 'identifiers' | 'severity'>,
): Promise<Candidate> {
  if (files.length > MAX_FILES) throw new Rejection('too_large', `${files.length} files changed`);
  const part = partOf(ecosystem);
  const parts: Record<Part, ChangedFile[]> = { reference: [], steering: [], hidden: [] };
  for (const file of files) {
    const found = part(file.path);
    if (found !== null) parts[found].push(file);
  }
  const [reference, steering, hidden] = await Promise.all([
    readChange(repository, parts.reference),
    readChange(repository, parts.steering),
    readChange(repository, parts.hidden),
  ]);
  const referenceDiff = (await unifiedDiff(repository, base, commit, pathsOf(parts.reference))).toString('utf8');
  const { time: fixed } = await readCommit(repository, commit);
  return { base, t0, fixed, ...problem, ecosystem, reference, steering, hidden, referenceDiff };
}

/** Every path of some files, before and after the change. */
export const pathsOf = (files: readonly ChangedFile[]): string[] =>
  files.flatMap((file) => (file.oldPath === undefined ? [file.path] : [file.oldPath, file.path]));
