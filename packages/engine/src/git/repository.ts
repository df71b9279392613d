import { AssayError } from '@assay/protocol';
import { decodeUtf8 } from '@assay/files/walk-tree';
import { openObjectReader, type ObjectReader } from './object-reader.ts';

/** A repository made by Assay: its configuration is ours, its objects may be anyone's. */
export interface Repository {
  gitDirectory: string;
  objects: ObjectReader;
}

/** Opens a git directory made by Assay; `objects.close()` ends its reader. */
export function openRepository(gitDirectory: string): Repository {
  return { gitDirectory, objects: openObjectReader(gitDirectory) };
}

export interface Commit {
  tree: string;
  parents: string[];
  /** Committer time. */
  time: Date;
  message: string;
}

/** Reads a commit. Throws `MISSING_OBJECT` when there is none of that name. */
export async function readCommit(repository: Repository, commit: string): Promise<Commit> {
  return parseCommit(await repository.objects.readTyped(commit, 'commit'));
}

function parseCommit(content: Buffer): Commit {
  const end = content.indexOf('\n\n');
  const header = (end === -1 ? content : content.subarray(0, end)).toString('latin1');
  const values = (name: string): string[] =>
    header
      .split('\n')
      .filter((line) => line.startsWith(`${name} `))
      .map((line) => line.slice(name.length + 1));
  const seconds = /> (-?\d+) [-+]?\d+$/.exec(values('committer')[0] ?? '')?.[1];
  return {
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    time: new Date(clampSeconds(Number(seconds ?? 0)) * 1000),
    message: end === -1 ? '' : decodeMessage(content.subarray(end + 2), values('encoding')[0]),
  };
}

/** A commit can contain any number; this is clamped to what a `Date` can hold. */
function clampSeconds(seconds: number): number {
  return Math.min(Math.max(seconds, 0), 8.64e12);
}

/** Decodes by the commit's own encoding, else as UTF-8, else (old commits that name none) as latin1. */
function decodeMessage(bytes: Buffer, encoding: string | undefined): string {
  if (encoding !== undefined) {
    try {
      return new TextDecoder(encoding).decode(bytes);
    } catch {
      // An unknown encoding.
    }
  }
  return decodeUtf8(bytes) ?? bytes.toString('latin1');
}

export type EntryKind = 'file' | 'executable' | 'link' | 'gitlink' | 'tree';

export interface TreeEntry {
  /** Name within its tree, or path from the root. Decoded as latin1 when the bytes are not UTF-8. */
  path: string;
  kind: EntryKind;
  oid: string;
  /** False when `path` contains bytes that are not UTF-8. */
  utf8: boolean;
}

/** Lists one level of a tree, in git's order. Throws `MISSING_OBJECT`, also for a damaged tree. */
export async function readTree(repository: Repository, tree: string): Promise<TreeEntry[]> {
  return parseTree(await repository.objects.readTyped(tree, 'tree'), tree);
}

/**
 * Lists all entries below a tree, trees included, parents before children, with paths from the root. Throws
 * `MISSING_OBJECT`, and `UNSUPPORTED_ENTRY` for a tree that unfolds without bound.
 */
export async function* listTree(repository: Repository, tree: string): AsyncGenerator<TreeEntry> {
  const pending: { oid: string; under: string; utf8: boolean }[] = [{ oid: tree, under: '', utf8: true }];
  let count = 0;
  while (pending.length > 0) {
    const parents = pending.splice(-TREES_AT_ONCE);
    const levels = await Promise.all(parents.map((parent) => readTree(repository, parent.oid)));
    for (const [index, parent] of parents.entries()) {
      const entries = levels[index] ?? [];
      count += entries.length;
      assertBounded(parent.under, count);
      for (const entry of entries) {
        const placed = { ...entry, path: `${parent.under}${entry.path}`, utf8: parent.utf8 && entry.utf8 };
        yield placed;
        if (entry.kind === 'tree') pending.push({ oid: entry.oid, under: `${placed.path}/`, utf8: placed.utf8 });
      }
    }
  }
}

const TREES_AT_ONCE = 64;
const MAX_ENTRIES = 200_000;
const MAX_PATH = 4_096;

/** Throws for a tree that is too deep or too wide: a few objects can unfold without end. */
export function assertBounded(path: string, entries: number): void {
  if (path.length > MAX_PATH)
    throw new AssayError('UNSUPPORTED_ENTRY', { path: `${path.slice(0, 100)}…`, detail: 'it lies too deep' });
  if (entries > MAX_ENTRIES)
    throw new AssayError('UNSUPPORTED_ENTRY', { path, detail: `the tree has more than ${MAX_ENTRIES} entries` });
}

function parseTree(content: Buffer, tree: string): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(0x20, start);
    const nul = content.indexOf(0, space);
    if (space === -1 || nul === -1 || nul + 21 > content.length)
      throw new AssayError('MISSING_OBJECT', { detail: `the tree ${tree} is damaged` });
    const name = content.subarray(space + 1, nul);
    const text = decodeUtf8(name);
    entries.push({
      path: text ?? name.toString('latin1'),
      kind: kindOf(content.toString('latin1', start, space)),
      oid: content.toString('hex', nul + 1, nul + 21),
      utf8: text !== null,
    });
    start = nul + 21;
  }
  return entries;
}

function kindOf(mode: string): EntryKind {
  const bits = Number.parseInt(mode, 8);
  const type = bits & 0o170000;
  if (type === 0o040000) return 'tree';
  if (type === 0o120000) return 'link';
  if (type === 0o160000) return 'gitlink';
  return (bits & 0o100) === 0 ? 'file' : 'executable';
}
