import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { AssayError } from '@assay/protocol';
import { isOutputDirectory, isOutputFile, PYTHON_ENVIRONMENT_FILE } from './build-output.ts';
import type { ChangeSet, FileChange } from './change-set.ts';
import { unsafePathReason } from './safe-path.ts';
import { walkTree, type WalkedFile, type WalkOptions } from './walk-tree.ts';

/** One regular file of a tree. Links, devices and sockets have no entry. */
export interface FileEntry {
  /** sha256 hex of the content. */
  sha256: string;
  executable: boolean;
  size: number;
}

/** Path (relative, POSIX slashes, valid UTF-8) to entry. */
export type TreeManifest = Map<string, FileEntry>;

/** A path that is no part of a manifest or change, and why. Bytes of a name that is no UTF-8 are shown as latin1. */
export interface SkippedPath {
  path: string;
  reason: string;
}

export interface ReadManifestOptions {
  /** Names of entries to skip, at any depth. */
  ignore?: readonly string[];
  /** More regular files, or more bytes in them, raise `SUBMISSION_TOO_LARGE`. Default: no limit. */
  maxFiles?: number;
  maxBytes?: number;
}

/** Reads the regular files of a tree that may be hostile. Follows no link. */
export async function readManifest(
  directory: string,
  options: ReadManifestOptions = {},
): Promise<{ manifest: TreeManifest; skipped: SkippedPath[] }> {
  const ignore = new Set(options.ignore);
  const caps = new Caps(options.maxFiles ?? Infinity, options.maxBytes ?? Infinity);
  const manifest: TreeManifest = new Map();
  const skipped: SkippedPath[] = [];
  for await (const entry of walkTree(directory, { enter: (_, name) => !ignore.has(name) })) {
    if (ignore.has(posix.basename(entry.path))) continue;
    if ('skipped' in entry) {
      skipped.push({ path: entry.path, reason: entry.skipped });
      continue;
    }
    caps.add(entry.size);
    const sha256 = hashFile(entry);
    if (sha256 === null) skipped.push({ path: entry.path, reason: UNREADABLE });
    else manifest.set(entry.path, { sha256, executable: entry.executable, size: entry.size });
  }
  return { manifest, skipped };
}

export interface ManifestDifference {
  added: string[];
  changed: string[];
  deleted: string[];
}

/** Compares a tree with T0. Paths are sorted, and a change of the executable bit counts as a change. */
export function diffManifests(t0: TreeManifest, now: TreeManifest): ManifestDifference {
  const difference: ManifestDifference = { added: [], changed: [], deleted: [] };
  for (const [path, entry] of now) {
    const before = t0.get(path);
    if (!before) difference.added.push(path);
    else if (before.sha256 !== entry.sha256 || before.executable !== entry.executable) difference.changed.push(path);
  }
  for (const path of t0.keys()) if (!now.has(path)) difference.deleted.push(path);
  for (const paths of [difference.added, difference.changed, difference.deleted]) paths.sort();
  return difference;
}

export interface CollectOptions {
  /** Files added or changed; more raise `SUBMISSION_TOO_LARGE`. Default 20 000. */
  maxFiles?: number;
  /** Their bytes in all. Default 64 MiB. */
  maxBytes?: number;
  /** Paths that were no regular files at T0 already (`skipped` of {@link readManifest}): left out of the notes. */
  skippedAtT0?: ReadonlySet<string>;
}

const DEFAULT_FILES = 20_000;
const DEFAULT_BYTES = 64 * 1024 * 1024;
/** Entries that a submission may have beside those of T0; bounds the walk itself. */
const SPARE_ENTRIES = 500_000;
const MAX_NOTES = 1_000;
const MAX_NOTE_PATH = 1_000;
const TOOL_OUTPUT = 'it is the output of a tool';
const UNREADABLE = 'it cannot be read';

/**
 * Collects an agent's submission: the regular files that differ from T0 in bytes or executable bit, and the paths of
 * T0 that are gone. A file that a link or a directory has replaced counts as gone. `dropped` names everything else that
 * was made, with the reason: links, devices, names that are not UTF-8, git data, and tool output that is not in T0.
 */
export async function collectChange(
  directory: string,
  t0: TreeManifest,
  options: CollectOptions = {},
): Promise<{ change: ChangeSet; dropped: SkippedPath[] }> {
  const directoriesOfT0 = parentsOf(t0.keys());
  const caps = new Caps(options.maxFiles ?? DEFAULT_FILES, options.maxBytes ?? DEFAULT_BYTES);
  const notes = new Notes(options.skippedAtT0);
  const files: FileChange[] = [];
  const seen = new Set<string>();
  const enter: WalkOptions['enter'] = (path, name, holds) => {
    if (directoriesOfT0.has(path)) return true;
    return unsafePathReason(path) ?? (isOutputDirectory(name) || holds(PYTHON_ENVIRONMENT_FILE) ? TOOL_OUTPUT : true);
  };
  for await (const entry of walkTree(directory, {
    enter,
    maxEntries: t0.size + directoriesOfT0.size + SPARE_ENTRIES,
  })) {
    const reason = 'skipped' in entry ? entry.skipped : dropReason(entry.path, t0);
    if (reason !== null || 'skipped' in entry) {
      notes.add(entry.path, reason ?? '');
      continue;
    }
    seen.add(entry.path);
    const file = changedFile(entry, t0, caps);
    if (file === 'unreadable') notes.add(entry.path, UNREADABLE);
    else if (file !== 'unchanged') files.push(file);
  }
  const deleted = [...t0.keys()].filter((path) => !seen.has(path)).sort();
  caps.checkDirectories(parentsOf(files.map(({ path }) => path)));
  return { change: { files, deleted }, dropped: notes.list() };
}

function dropReason(path: string, t0: TreeManifest): string | null {
  if (t0.has(path)) return null;
  const unsafe = unsafePathReason(path);
  if (unsafe !== null) return unsafe;
  const name = posix.basename(path);
  // A file of such a name too: it would lie where the verifier mounts installed packages.
  const inOutput = path.split('/').some(isOutputDirectory);
  return inOutput || isOutputFile(name) ? TOOL_OUTPUT : null;
}

function changedFile(entry: WalkedFile, t0: TreeManifest, caps: Caps): FileChange | 'unchanged' | 'unreadable' {
  const before = t0.get(entry.path);
  if (before && before.size === entry.size) {
    const sha256 = hashFile(entry);
    if (sha256 === null) return 'unreadable';
    if (sha256 === before.sha256 && entry.executable === before.executable) return 'unchanged';
  }
  // Before reading: a sparse file may claim any size.
  caps.add(entry.size);
  const content = Buffer.alloc(entry.size);
  let filled = 0;
  const read = entry.read((chunk) => {
    filled += chunk.copy(content, filled);
  });
  if (read === null) return 'unreadable';
  return { path: entry.path, content: content.subarray(0, filled), executable: entry.executable };
}

function hashFile(entry: WalkedFile): string | null {
  const hash = createHash('sha256');
  return entry.read((chunk) => hash.update(chunk)) === null ? null : hash.digest('hex');
}

function parentsOf(paths: Iterable<string>): Set<string> {
  const parents = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return parents;
}

class Caps {
  readonly #maxFiles: number;
  readonly #maxBytes: number;
  #files = 0;
  #bytes = 0;

  constructor(maxFiles: number, maxBytes: number) {
    this.#maxFiles = maxFiles;
    this.#maxBytes = maxBytes;
  }

  add(size: number): void {
    this.#files += 1;
    this.#bytes += size;
    if (this.#files > this.#maxFiles)
      throw new AssayError('SUBMISSION_TOO_LARGE', { detail: `more than ${this.#maxFiles} files` });
    if (this.#bytes > this.#maxBytes)
      throw new AssayError('SUBMISSION_TOO_LARGE', { detail: `more than ${this.#maxBytes} bytes` });
  }

  /** Few files can need many directories, and each of these has to be made again. */
  checkDirectories({ size }: ReadonlySet<string>): void {
    if (size > this.#maxFiles)
      throw new AssayError('SUBMISSION_TOO_LARGE', { detail: `more than ${this.#maxFiles} directories` });
  }
}

const shortened = (path: string): string => (path.length > MAX_NOTE_PATH ? `${path.slice(0, MAX_NOTE_PATH)}…` : path);

/** Notes on dropped paths, limited in number and length to what a person would read. */
class Notes {
  readonly #known: ReadonlySet<string>;
  readonly #notes: SkippedPath[] = [];
  #more = 0;

  constructor(known: ReadonlySet<string> = new Set()) {
    this.#known = known;
  }

  add(path: string, reason: string): void {
    if (this.#known.has(path)) return;
    if (this.#notes.length < MAX_NOTES) this.#notes.push({ path: shortened(path), reason });
    else this.#more += 1;
  }

  list(): SkippedPath[] {
    return this.#more === 0 ? this.#notes : [...this.#notes, { path: '', reason: `and ${this.#more} more` }];
  }
}
