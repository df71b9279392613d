import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { unsafePathReason } from '@assay/files/safe-path';
import { assertBounded, readCommit, readTree, type EntryKind, type Repository, type TreeEntry } from './repository.ts';

const DEFAULT_CHANGE_BYTES = 64 * 1024 * 1024;

/** One side of a changed path. */
export interface ChangedSide {
  kind: Exclude<EntryKind, 'tree'>;
  oid: string;
}

export interface ChangedFile {
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  /** Path after the change (before it when deleted). Decoded as latin1 when the bytes are not UTF-8. */
  path: string;
  /** The path before a rename; absent otherwise. */
  oldPath?: string;
  /** `null` when added. */
  before: ChangedSide | null;
  /** `null` when deleted. */
  after: ChangedSide | null;
  /** False when a path contains bytes that are not UTF-8. */
  utf8: boolean;
}

/**
 * Lists the changes of a commit against a parent, by path. Reads trees only, never file contents: a move counts as a
 * rename only if the content is the same, else as a deletion and an addition. Throws `MISSING_OBJECT`.
 */
export async function changedFiles(repository: Repository, parent: string, commit: string): Promise<ChangedFile[]> {
  const [before, after] = await Promise.all([readCommit(repository, parent), readCommit(repository, commit)]);
  const changes: ChangedFile[] = [];
  await compareTrees({ repository, changes }, { before: before.tree, after: after.tree, under: '', utf8: true });
  return pairRenames(changes).sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

interface Comparison {
  repository: Repository;
  changes: ChangedFile[];
}
interface TreePair {
  before: string | null;
  after: string | null;
  under: string;
  utf8: boolean;
}

async function compareTrees(comparison: Comparison, pair: TreePair): Promise<void> {
  const { repository, changes } = comparison;
  if (pair.before === pair.after) return;
  assertBounded(pair.under, changes.length);
  const [old, now] = await Promise.all([entriesOf(repository, pair.before), entriesOf(repository, pair.after)]);
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [oldEntry, newEntry] = [old.get(key), now.get(key)];
    const entry = newEntry ?? oldEntry;
    if (!entry || (oldEntry?.oid === newEntry?.oid && oldEntry?.kind === newEntry?.kind)) continue;
    const path = `${pair.under}${entry.path}`;
    const utf8 = pair.utf8 && entry.utf8;
    const [before, after] = [treeOf(oldEntry), treeOf(newEntry)];
    if (before !== null || after !== null) await compareTrees(comparison, { before, after, under: `${path}/`, utf8 });
    const change = compareSides(path, sideOf(oldEntry), sideOf(newEntry), utf8);
    if (change) changes.push(change);
  }
}

async function entriesOf(repository: Repository, tree: string | null): Promise<Map<string, TreeEntry>> {
  const entries = tree === null ? [] : await readTree(repository, tree);
  // The same text may represent bytes that are UTF-8 and others that are not.
  return new Map(entries.map((entry) => [`${entry.utf8 ? 'u' : 'l'}${entry.path}`, entry]));
}

function treeOf(entry: TreeEntry | undefined): string | null {
  return entry?.kind === 'tree' ? entry.oid : null;
}

function sideOf(entry: TreeEntry | undefined): ChangedSide | null {
  return entry === undefined || entry.kind === 'tree' ? null : { kind: entry.kind, oid: entry.oid };
}

function compareSides(
  path: string,
  before: ChangedSide | null,
  after: ChangedSide | null,
  utf8: boolean,
): ChangedFile | null {
  if (before && after) return { status: 'modified', path, before, after, utf8 };
  if (after) return { status: 'added', path, before, after, utf8 };
  if (before) return { status: 'deleted', path, before, after, utf8 };
  return null;
}

function pairRenames(changes: ChangedFile[]): ChangedFile[] {
  const deleted = new Map<string, ChangedFile>();
  for (const change of changes)
    if (change.status === 'deleted' && change.before) deleted.set(change.before.oid, change);
  const paired = new Set<ChangedFile>();
  const result: ChangedFile[] = [];
  for (const change of changes) {
    const source = change.status === 'added' && change.after ? deleted.get(change.after.oid) : undefined;
    if (!source?.before) {
      result.push(change);
      continue;
    }
    deleted.delete(source.before.oid);
    paired.add(source);
    result.push({
      ...change,
      status: 'renamed',
      oldPath: source.path,
      before: source.before,
      utf8: change.utf8 && source.utf8,
    });
  }
  return result.filter((change) => !paired.has(change));
}

export interface ReadChangeOptions {
  /** Limit on the total content; beyond it `OBJECT_TOO_LARGE` is thrown. Default 64 MiB. */
  maxBytes?: number;
}

/**
 * Reads the contents of a change. Throws `MISSING_OBJECT`, and `UNSUPPORTED_ENTRY` for anything that a submission
 * cannot hold: links, submodules, names that are not UTF-8, unsafe paths.
 */
export async function readChange(
  repository: Repository,
  files: readonly ChangedFile[],
  options: ReadChangeOptions = {},
): Promise<ChangeSet> {
  for (const file of files) assertCarried(file);
  const limit = options.maxBytes ?? DEFAULT_CHANGE_BYTES;
  const change: ChangeSet = { files: [], deleted: [] };
  let bytes = 0;
  for (const file of files) {
    if (file.after) {
      const content = await repository.objects.readTyped(file.after.oid, 'blob');
      bytes += content.length;
      if (bytes > limit)
        throw new AssayError('OBJECT_TOO_LARGE', {
          oid: file.after.oid,
          detail: `the change holds more than ${limit} bytes`,
        });
      change.files.push({ path: file.path, content, executable: file.after.kind === 'executable' });
    }
    if (file.status === 'deleted') change.deleted.push(file.path);
    if (file.oldPath !== undefined) change.deleted.push(file.oldPath);
  }
  change.deleted.sort();
  return change;
}

function assertCarried(file: ChangedFile): void {
  const shown = JSON.stringify(file.path.slice(0, 200));
  if (!file.utf8) throw new AssayError('UNSUPPORTED_ENTRY', { path: shown, detail: 'its name is no valid UTF-8' });
  for (const side of [file.before, file.after]) {
    if (side?.kind === 'link')
      throw new AssayError('UNSUPPORTED_ENTRY', { path: shown, detail: 'it is a symbolic link' });
    if (side?.kind === 'gitlink')
      throw new AssayError('UNSUPPORTED_ENTRY', { path: shown, detail: 'it is a submodule' });
  }
  for (const path of [file.path, ...(file.oldPath === undefined ? [] : [file.oldPath])]) {
    const unsafe = unsafePathReason(path);
    if (unsafe !== null) throw new AssayError('UNSUPPORTED_ENTRY', { path: shown, detail: unsafe });
  }
}
