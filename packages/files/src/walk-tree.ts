import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  opendirSync,
  readSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AssayError } from '@assay/protocol';

/** Every level holds one descriptor while the walk is below it. */
const MAX_DEPTH = 100;
const ENTRIES_PER_TURN = 256;
const CHUNK_BYTES = 1024 * 1024;
const SLASH = Buffer.from('/');
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/** A file, or something that is skipped and why. */
export type WalkedEntry = WalkedFile | SkippedEntry;

export interface SkippedEntry {
  path: string;
  skipped: string;
}

export interface WalkedFile {
  /** Relative, POSIX slashes, valid UTF-8. */
  path: string;
  size: number;
  executable: boolean;
  /**
   * Hands over the content piece by piece; the buffer is reused. Must be called before the walk goes on. Returns the
   * number of bytes read, or `null` when it could not be opened as the regular file that it was.
   */
  read(onChunk: (chunk: Buffer) => void): number | null;
}

export interface WalkOptions {
  /**
   * Called for each directory: `true` to go in, `false` to pass it by, a text to skip it with that reason. `holds` says
   * whether the directory has an entry of that name.
   */
  enter?: (path: string, name: string, holds: (child: string) => boolean) => boolean | string;
  /** More entries than this (in all) raise `SUBMISSION_TOO_LARGE`. Default: no limit. */
  maxEntries?: number;
}

/**
 * The regular files below a directory, in byte order of each directory's names, and what else there is. No link is
 * followed, not even one that takes a directory's place during the walk: each directory is opened once and its entries
 * are reached through that descriptor.
 */
export async function* walkTree(directory: string, options: WalkOptions = {}): AsyncGenerator<WalkedEntry> {
  const state = { entries: 0, options };
  yield* walkDirectory(Buffer.from(directory), '', 0, state);
}

interface WalkState {
  entries: number;
  options: WalkOptions;
}

async function* walkDirectory(
  location: Buffer,
  path: string,
  depth: number,
  state: WalkState,
): AsyncGenerator<WalkedEntry> {
  const opened = openDirectory(location, depth);
  if (opened === null) return yield { path, skipped: 'a directory that cannot be opened' };
  try {
    for (const name of readNames(opened.location, state)) {
      if (++state.entries % ENTRIES_PER_TURN === 0) await nextTurn();
      yield* walkEntry(name, opened.location, path, depth, state);
    }
  } finally {
    closeSync(opened.descriptor);
  }
}

async function* walkEntry(
  name: Buffer,
  parent: Buffer,
  parentPath: string,
  depth: number,
  state: WalkState,
): AsyncGenerator<WalkedEntry> {
  const text = decodeUtf8(name);
  const path = join(parentPath, text ?? name.toString('latin1'));
  if (text === null) return yield { path, skipped: 'its name is no valid UTF-8' };
  const location = Buffer.concat([parent, SLASH, name]);
  const stats = statOf(location);
  if (stats === null) return;
  if (stats.isDirectory()) {
    const holds = (child: string): boolean => statOf(Buffer.concat([location, SLASH, Buffer.from(child)])) !== null;
    const answer = state.options.enter?.(path, text, holds) ?? true;
    if (typeof answer === 'string') return yield { path, skipped: answer };
    if (answer && depth >= MAX_DEPTH) return yield { path, skipped: 'it lies too deep' };
    if (answer) yield* walkDirectory(location, path, depth + 1, state);
    return;
  }
  if (!stats.isFile()) return yield { path, skipped: kindOf(stats) };
  yield {
    path,
    size: stats.size,
    executable: (stats.mode & 0o100) !== 0,
    read: (onChunk) => readRegular(location, stats.size, onChunk),
  };
}

function openDirectory(location: Buffer, depth: number): { descriptor: number; location: Buffer } | null {
  try {
    const descriptor = openSync(location, OPEN_DIRECTORY);
    const held = `/proc/self/fd/${descriptor}`;
    return { descriptor, location: existsSync(held) ? Buffer.from(held) : location };
  } catch (error) {
    // The root is the caller's own; what lies below may vanish or be closed to us.
    if (depth === 0) throw error;
    return null;
  }
}

function readNames(location: Buffer, state: WalkState): Buffer[] {
  const limit = state.options.maxEntries ?? Infinity;
  const names: Buffer[] = [];
  // @types/node does not know that opendir takes a Buffer and hands out names as Buffers.
  const listing = opendirSync(location.toString(), { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  try {
    for (let entry = listing.readSync(); entry !== null; entry = listing.readSync()) {
      names.push(Buffer.from(entry.name));
      if (state.entries + names.length > limit)
        throw new AssayError('SUBMISSION_TOO_LARGE', { detail: `more than ${limit} entries` });
    }
  } finally {
    listing.closeSync();
  }
  return names.sort(Buffer.compare);
}

function readRegular(location: Buffer, size: number, onChunk: (chunk: Buffer) => void): number | null {
  let descriptor: number;
  try {
    descriptor = openSync(location, OPEN_FILE);
  } catch {
    return null;
  }
  try {
    if (!fstatSync(descriptor).isFile()) return null;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
    let total = 0;
    while (total < size) {
      const count = readSync(descriptor, buffer, 0, Math.min(buffer.length, size - total), null);
      if (count === 0) break;
      onChunk(buffer.subarray(0, count));
      total += count;
    }
    return total;
  } finally {
    closeSync(descriptor);
  }
}

function statOf(location: Buffer): Stats | null {
  try {
    return lstatSync(location);
  } catch {
    return null;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a FIFO';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text, or `null` when the bytes are no valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
