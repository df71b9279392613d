import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { Parser, type ReadEntry } from 'tar';
import { AssayError } from '@assay/protocol';
import { printable } from './bundle-files.ts';

/** Limits on the unpacked archive, far above any repository or node_modules that a task carries. */
const LIMITS = { entries: 1_000_000, bytes: 16 * 1024 ** 3 };

const CARRIED = new Set([
  'File',
  'OldFile',
  'ContiguousFile',
  'Directory',
  'SymbolicLink',
  'Link',
  'GlobalExtendedHeader',
  'ExtendedHeader',
]);

export interface ArchiveContents {
  /** Paths of symbolic links that point outside. */
  linksOutside: string[];
  /** Names of all members and their directories. */
  names: Set<string>;
}

/**
 * Reads the headers of a gzipped tar in a bundle and throws `TASK_UNSAFE` when unpacking it could write outside its
 * directory or make devices: absolute names, `..`, members below or over a link of the same archive, hard links to
 * elsewhere, special files. Symbolic links may point anywhere, since repositories contain such links; none is followed
 * here.
 */
export async function checkArchive(path: string): Promise<ArchiveContents> {
  const links = new Map<string, string>();
  const names = new Set<string>();
  let entries = 0;
  let bytes = 0;
  let problem: string | undefined;
  const check = (entry: ReadEntry): void => {
    entries += 1;
    bytes += entry.size;
    problem ??=
      entries > LIMITS.entries || bytes > LIMITS.bytes
        ? 'it unpacks to more than any task needs'
        : entryProblem(entry, links);
    for (const name of entry.path.split('/')) names.add(name);
    entry.resume();
  };
  const parser = new Parser({ strict: true, onReadEntry: check });
  try {
    const ended = new Promise<void>((resolve, reject) => {
      parser.on('error', reject);
      parser.on('end', resolve);
    });
    // Awaited below, unless reading the file fails first.
    ended.catch(() => {});
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      if (problem !== undefined) break;
      if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), ended]);
    }
    parser.end();
    if (problem === undefined) await ended;
  } catch (error) {
    problem ??= `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (problem !== undefined) throw new AssayError('TASK_UNSAFE', { path, detail: problem });
  return {
    linksOutside: [...links].filter(([name, target]) => pointsOutside(name, target)).map(([name]) => name),
    names,
  };
}

function pointsOutside(name: string, target: string): boolean {
  return target.startsWith('/') || `/${posix.normalize(posix.join(posix.dirname(name), target))}/`.startsWith('/../');
}

function entryProblem(entry: ReadEntry, links: Map<string, string>): string | undefined {
  const shown = printable(entry.path.slice(0, 200));
  if (!CARRIED.has(entry.type)) return `its member ${shown} is a ${entry.type}`;
  const name = normalized(entry.path);
  if (name === null) return `its member ${shown} leads out of the directory`;
  for (let end = name.indexOf('/'); end !== -1; end = name.indexOf('/', end + 1)) {
    if (links.has(name.slice(0, end))) return `its member ${shown} lies behind a link`;
  }
  if (links.has(name)) return `its member ${shown} comes again over a link`;
  if (entry.type === 'SymbolicLink') links.set(name, entry.linkpath ?? '');
  if (entry.type === 'Link') {
    const target = normalized(entry.linkpath ?? '');
    if (target === null || target === '' || links.has(target)) return `its member ${shown} is a hard link to elsewhere`;
  }
  return undefined;
}

/** Removes `.` parts and a trailing slash; returns null for an absolute name or one with `..`. */
function normalized(path: string): string | null {
  if (path.startsWith('/') || path.includes('\0')) return null;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? null : parts.join('/');
}
