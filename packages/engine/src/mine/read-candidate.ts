import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import { ECOSYSTEMS } from '../ecosystems/index.ts';
import { readChange, type ChangedFile } from '../git/changed-files.ts';
import type { Repository } from '../git/repository.ts';
import { unifiedDiff } from '../git/unified-diff.ts';
import { steeringMatcher } from '../verify/compose-verifier-tree.ts';
import { Rejection, type Candidate } from './candidate.ts';

/** More than a person would review as one fix. */
const MAX_FILES = 40;
const MAX_BYTES = 2 * 1024 * 1024;

/** Text for people: it neither fixes nor tests anything. */
export const PROSE =
  /\.(md|rst|txt|adoc|po|pot)$|(^|\/)(docs?|changes?|changelog\.d|newsfragments|\.github|\.changeset)\/|(^|\/)(CHANGES|CHANGELOG|HISTORY|NEWS|AUTHORS|LICENSE)[^/]*$/i;

/** A change between two commits, of which T0 is the first. */
export interface FixRange {
  parent: string;
  /** Time of the parent. */
  t0: Date;
  commit: string;
  files: ChangedFile[];
  ecosystem: Ecosystem;
}

export interface CodeKinds {
  source: boolean;
  test: boolean;
}

/** Which kinds of an ecosystem's own code a change touches. */
export function codeKinds(ecosystem: Ecosystem, files: readonly ChangedFile[]): CodeKinds {
  const kinds = new Set(
    files.filter((file) => ecosystem.codeFiles.test(file.path)).map((file) => ecosystem.classify(file.path)),
  );
  return { source: kinds.has('source'), test: kinds.has('test') };
}

/** The ecosystem whose code a change mends and tests; else one whose code it mends; else undefined. */
export function ecosystemOfChange(files: readonly ChangedFile[]): Ecosystem | undefined {
  const both = ECOSYSTEMS.find((each) => {
    const { source, test } = codeKinds(each, files);
    return source && test;
  });
  return both ?? ECOSYSTEMS.find((each) => codeKinds(each, files).source);
}

/**
 * Reads a change and takes it apart: what solves, what steers, what tests. Throws `too_large` and what `readChange`
 * throws.
 */
export async function readCandidate(
  repository: Repository,
  { parent, t0, commit, files, ecosystem }: FixRange,
  problem: Pick<Candidate, 'message' | 'identifiers'>,
): Promise<Candidate> {
  if (files.length > MAX_FILES) throw new Rejection('too_large', `${files.length} files changed`);
  const steers = steeringMatcher(ecosystem.steering);
  const parts: Record<'reference' | 'steering' | 'hidden', ChangedFile[]> = { reference: [], steering: [], hidden: [] };
  for (const file of files) {
    const kind = ecosystem.classify(file.path);
    if (kind === 'test') parts.hidden.push(file);
    else if (steers(file.path)) parts.steering.push(file);
    else if (kind === 'source' || !PROSE.test(file.path)) parts.reference.push(file);
  }
  const [reference, steering, hidden] = await Promise.all([
    readChange(repository, parts.reference),
    readChange(repository, parts.steering),
    readChange(repository, parts.hidden),
  ]);
  const bytes = [...reference.files, ...hidden.files].reduce((sum, file) => sum + file.content.length, 0);
  if (bytes > MAX_BYTES) throw new Rejection('too_large', `${bytes} bytes changed`);
  const referenceDiff = (await unifiedDiff(repository, parent, commit, pathsOf(parts.reference))).toString('utf8');
  return { parent, t0, ...problem, ecosystem, reference, steering, hidden, referenceDiff };
}

const pathsOf = (files: ChangedFile[]): string[] =>
  files.flatMap((file) => (file.oldPath === undefined ? [file.path] : [file.oldPath, file.path]));
