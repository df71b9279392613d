import { AssayError } from '@assay/protocol';
import { ECOSYSTEMS } from '../../ecosystems/index.ts';
import type { Ecosystem } from '../../ecosystems/ecosystem.ts';
import { changedFiles, readChange, type ChangedFile } from '../../git/changed-files.ts';
import type { ImportedRepository } from '../../git/import-repository.ts';
import { unifiedDiff } from '../../git/unified-diff.ts';
import { walkCandidates, type Candidate as WalkedCommit } from '../../git/walk-candidates.ts';
import { steeringMatcher } from '../../verify/compose-verifier-tree.ts';
import { Rejection, type Candidate } from '../candidate.ts';

/** More than a person would review as one fix. */
const MAX_FILES = 40;
const MAX_BYTES = 2 * 1024 * 1024;

/** Text for people: it neither fixes nor tests anything. */
const PROSE = /\.(md|rst|txt|adoc|po|pot)$|(^|\/)(docs?|changes?|changelog\.d|newsfragments|\.github|\.changeset)\/|(^|\/)(CHANGES|CHANGELOG|HISTORY|NEWS|AUTHORS|LICENSE)[^/]*$/i;

export interface CollectOptions { since?: string; signal?: AbortSignal }

/** A commit that changes code and tests, not yet read: reading may reject it. */
export interface Found { commit: string; read(): Promise<Candidate> }

/** Stage 1: walks the history, newest first, for commits that change code and tests of one ecosystem. */
export async function* collect(repository: ImportedRepository, { since, signal }: CollectOptions): AsyncGenerator<Found> {
  for await (const walked of walkCandidates(repository, { ...(since ? { since } : {}), ...(signal ? { signal } : {}) })) {
    signal?.throwIfAborted();
    let files: ChangedFile[];
    try {
      files = await changedFiles(repository, walked.parent, walked.commit);
    } catch (error) {
      if (!isMissing(error)) throw error;
      yield { commit: walked.commit, read: () => Promise.reject(error) };
      continue;
    }
    const ecosystem = ECOSYSTEMS.find((each) => changesCodeAndTests(each, files));
    if (ecosystem) yield { commit: walked.commit, read: () => readCandidate(repository, walked, ecosystem, files) };
  }
}

/** As a stage's rejection, when an error says that the candidate and not the machine is at fault; else null. */
export function rejectionOf(error: unknown): Rejection | null {
  if (error instanceof Rejection) return error;
  if (!AssayError.is(error)) return null;
  switch (error.code) {
    case 'MISSING_OBJECT': return new Rejection('missing_objects', error.message);
    case 'OBJECT_TOO_LARGE': return new Rejection('too_large', error.message);
    case 'UNSUPPORTED_ENTRY': case 'UNSAFE_PATH': return new Rejection('unsupported_entry', error.message);
    case 'INTERPRETER_MISSING': return new Rejection('no_interpreter', error.message);
    case 'ENVIRONMENT_FAILED': return new Rejection('environment_failed', error.message);
    default: return null;
  }
}

const isMissing = (error: unknown): boolean => rejectionOf(error)?.reason === 'missing_objects';

function changesCodeAndTests(ecosystem: Ecosystem, files: ChangedFile[]): boolean {
  const kinds = new Set(files.filter((file) => ecosystem.codeFiles.test(file.path)).map((file) => ecosystem.classify(file.path)));
  return kinds.has('source') && kinds.has('test');
}

async function readCandidate(repository: ImportedRepository, walked: WalkedCommit, ecosystem: Ecosystem, files: ChangedFile[]): Promise<Candidate> {
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
    readChange(repository, parts.reference), readChange(repository, parts.steering), readChange(repository, parts.hidden),
  ]);
  const bytes = [...reference.files, ...hidden.files].reduce((sum, file) => sum + file.content.length, 0);
  if (bytes > MAX_BYTES) throw new Rejection('too_large', `${bytes} bytes changed`);
  return {
    commit: walked.commit, parent: walked.parent, t0: walked.time, message: walked.message, ecosystem, reference, steering, hidden,
    referenceDiff: (await unifiedDiff(repository, walked.parent, walked.commit, pathsOf(parts.reference))).toString('utf8'),
  };
}

const pathsOf = (files: ChangedFile[]): string[] => files.flatMap((file) => (file.oldPath === undefined ? [file.path] : [file.oldPath, file.path]));
