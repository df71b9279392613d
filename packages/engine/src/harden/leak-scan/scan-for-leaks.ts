import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import type { Leak } from '@assay/protocol';
import { fileSource } from './byte-source.ts';
import { LeakMatcher, type ByteMatcher } from './matcher.ts';
import { candidateNeedles, type LeakNeedle } from './needle.ts';
import { scanContent } from './scan-content.ts';
import { DEFAULT_SCAN_LIMITS, ScanContext, type ScanLimits } from './scan-context.ts';
import type { ScanReport } from './scan-report.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { readRegularFileBelow } from '@assay/files/read-regular-file';

/** A directory or single file that an agent can read; findings call it `label`. */
export interface ScanRoot {
  label: string;
  directory: string;
}

export interface ScanOptions {
  signal?: AbortSignal;
  /** Called now and then with the amounts read so far. */
  onProgress?: (progress: { files: number; bytes: number }) => void;
  /** Returns true for a `label/path` to skip; a directory is skipped with everything below it. */
  skip?: (where: string) => boolean;
  limits?: Partial<ScanLimits>;
}

/**
 * Looks for needles in everything readable below the roots: text in any encoding and escaping, names and link targets,
 * archives, compressed streams, bytecode, databases and git objects, each within any other. Follows no links, runs no
 * git, and writes only an unnamed temporary file. Places that cannot be examined are listed in `unreadable`. Throws
 * `INTERRUPTED`.
 */
export async function scanRoots(
  needles: LeakNeedle[],
  roots: ScanRoot[],
  options: ScanOptions = {},
): Promise<ScanReport> {
  return (await scanWith(new LeakMatcher(needles), roots, options)).report;
}

/** Returns only the leaks of {@link scanRoots}. */
export async function scanForLeaks(
  needles: LeakNeedle[],
  roots: ScanRoot[],
  options: ScanOptions = {},
): Promise<Leak[]> {
  return (await scanRoots(needles, roots, options)).leaks;
}

/**
 * Computes what must not be readable: the windows of three added lines of a change that appear nowhere in the tree of
 * T0. `t0Directory` holds that tree, without git data; no link in it is followed.
 */
export async function leakNeedles(
  change: ChangeSet,
  t0Directory: string,
  kind: 'reference' | 'test',
  options: ScanOptions = {},
): Promise<LeakNeedle[]> {
  const needles = candidateNeedles(change, (path) => readRegularFileBelow(t0Directory, path), kind);
  return dropNeedlesIn(needles, [{ label: 't0', directory: t0Directory }], {
    skip: (where) => where === 't0/.git',
    ...options,
  });
}

/** Returns the needles that appear nowhere below the roots. */
export async function dropNeedlesIn(
  needles: LeakNeedle[],
  roots: ScanRoot[],
  options: ScanOptions = {},
): Promise<LeakNeedle[]> {
  if (needles.length === 0) return [];
  const { found } = await scanWith(new LeakMatcher(needles), roots, options);
  return needles.filter((_, index) => !found.has(index));
}

/** Passes everything below the roots to a matcher. */
export async function scanWith(
  matcher: ByteMatcher,
  roots: readonly ScanRoot[],
  options: ScanOptions = {},
): Promise<{ report: ScanReport; found: ReadonlySet<number> }> {
  const startedAt = performance.now();
  const context = new ScanContext(matcher, { ...DEFAULT_SCAN_LIMITS, ...options.limits }, options.signal);
  const walk = new Walk(context, options);
  for (const root of roots) await walk.entry(Buffer.from(root.directory), root.label);
  const report = {
    leaks: context.leaks(),
    unreadable: context.unreadable,
    files: walk.files,
    bytes: walk.bytes,
    durationMs: performance.now() - startedAt,
  };
  return { report, found: context.foundNeedles };
}

class Walk {
  files = 0;
  bytes = 0;
  readonly #context: ScanContext;
  readonly #options: ScanOptions;

  constructor(context: ScanContext, options: ScanOptions) {
    this.#context = context;
    this.#options = options;
  }

  async entry(path: Buffer, where: string): Promise<void> {
    if (this.#options.skip?.(where) === true) return;
    try {
      const info = lstatSync(path);
      if (info.isDirectory()) await this.#directory(path, where);
      else if (info.isSymbolicLink()) this.#match(readlinkSync(path, { encoding: 'buffer' }), `${where}!target`);
      else if (info.isFile()) await this.#file(path, where);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#context.noteUnreadable(where, error.message.split(',', 1)[0] ?? error.code);
    }
  }

  async #directory(path: Buffer, where: string): Promise<void> {
    const names = readdirSync(path, { encoding: 'buffer' }).sort(Buffer.compare);
    for (const name of names) {
      const text = displayName(name);
      this.#match(name, `${where}/${text}`);
      await this.entry(Buffer.concat([path, SLASH, name]), `${where}/${text}`);
    }
  }

  async #file(path: Buffer, where: string): Promise<void> {
    // Non-blocking, in case it has become a pipe since.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const info = fstatSync(descriptor);
      if (!info.isFile()) return;
      if (info.size > this.#context.limits.fileBytes) {
        this.#context.noteUnreadable(where, `larger than ${this.#context.limits.fileBytes} bytes`);
        return;
      }
      this.#context.beginFile(where);
      await scanContent(this.#context, fileSource(descriptor, info.size), { where, name: where, depth: 0 });
      this.files += 1;
      this.bytes += info.size;
      if (this.files % 256 === 0) this.#options.onProgress?.({ files: this.files, bytes: this.bytes });
    } finally {
      closeSync(descriptor);
    }
  }

  #match(bytes: Buffer, where: string): void {
    this.#context.matcher.match(bytes, 'text', (needle) => this.#context.noteLeak(where, needle));
  }
}

const SLASH = Buffer.from('/');

function displayName(name: Buffer): string {
  const text = name.toString('utf8');
  return Buffer.from(text).equals(name) ? text : name.toString('latin1');
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
