import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Leak } from '@assay/protocol';
import { z } from 'zod';
import { HOST_MASKS } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { PhraseCollector, possibleNeedles } from './phrase-index.ts';
import type { LeakNeedle } from './needle.ts';
import { scanForLeaks, scanWith, type ScanOptions, type ScanRoot } from './scan-for-leaks.ts';

export interface ToolchainOptions extends Omit<ScanOptions, 'skip'> {
  /**
   * Default: the host directories that every sandbox sees. Add the directories of interpreters that are mounted
   * separately.
   */
  roots?: readonly ScanRoot[];
  /** Absolute directories below the roots that no sandbox sees. Default: those that providers mask. */
  masked?: readonly string[];
  /** Skips machine code of the host's packages (ELF files), which makes up most of the bytes. Default false. */
  withoutPrograms?: boolean;
}

/** The host's directories that providers mount into every sandbox. */
export const TOOLCHAIN_ROOTS: readonly ScanRoot[] = [
  { label: '/usr', directory: '/usr' },
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].map((name) => ({ label: `/${name}`, directory: `/${name}` })),
  ...['alternatives', 'ssl/certs', 'ca-certificates'].map((name) => ({
    label: `/etc/${name}`,
    directory: `/etc/${name}`,
  })),
];

/** Raise it when the definition of a phrase, or what is examined, changes. */
const INDEX_VERSION = 2;
const MAX_INDEX_BITS = 28;

const Leaks = z.array(
  z.object({ where: z.string(), origin: z.string(), lines: z.array(z.string()), runs: z.number() }),
);
const IndexInfo = z.object({ bits: z.number().int().positive(), unreadable: z.number() });

/**
 * Finds leaks in directories that many tasks share and that seldom change. Each is read once and cached as the set of
 * its phrases; needles ruled out by this set, nearly always all of them, cost no reading. The files are read again only
 * if a needle is possible. The cache is keyed by the paths, sizes and times of the files, so a change makes a new
 * entry.
 */
export async function scanToolchain(
  needles: LeakNeedle[],
  cacheDirectory: string,
  options: ToolchainOptions = {},
): Promise<Leak[]> {
  const masked = new Set(options.masked ?? HOST_MASKS);
  const leaks: Leak[] = [];
  for (const root of options.roots ?? TOOLCHAIN_ROOTS) {
    // On most systems /bin and the like are links into /usr.
    const info = lstatSync(root.directory, { throwIfNoEntry: false });
    if (info === undefined || info.isSymbolicLink()) continue;
    const skip = (where: string): boolean => {
      const path = `${root.directory}${where.slice(root.label.length)}`;
      return masked.has(path) || (options.withoutPrograms === true && isProgram(path));
    };
    leaks.push(...(await scanRoot(needles, root, cacheDirectory, { ...options, skip })));
  }
  return leaks;
}

async function scanRoot(
  needles: LeakNeedle[],
  root: ScanRoot,
  cacheDirectory: string,
  options: ScanOptions,
): Promise<Leak[]> {
  const { digest, bytes } = fingerprint(root, options);
  const index = await prepareLayer(cacheDirectory, `phrases-${digest}`, (directory) =>
    buildIndex(directory, root, bytes, options),
  );
  const info = IndexInfo.parse(JSON.parse(await readFile(join(index, 'index.json'), 'utf8')));
  const possible = possibleNeedles(join(index, 'phrases.bin'), info.bits, needles);
  if (possible.length === 0) return [];
  const wanted = sha256(JSON.stringify(possible));
  const found = await prepareLayer(
    cacheDirectory,
    `leaks-${digest.slice(0, 32)}-${wanted.slice(0, 32)}`,
    async (directory) => {
      await writeFile(join(directory, 'leaks.json'), JSON.stringify(await scanForLeaks(possible, [root], options)));
    },
  );
  return Leaks.parse(JSON.parse(await readFile(join(found, 'leaks.json'), 'utf8')));
}

async function buildIndex(directory: string, root: ScanRoot, bytes: number, options: ScanOptions): Promise<void> {
  const bits = 2 ** Math.min(MAX_INDEX_BITS, Math.max(20, Math.ceil(Math.log2(2 * bytes + 1))));
  const collector = new PhraseCollector(bits);
  const { report } = await scanWith(collector, [root], options);
  await writeFile(join(directory, 'phrases.bin'), collector.bits);
  await writeFile(join(directory, 'index.json'), JSON.stringify({ bits, unreadable: report.unreadable.length }));
}

/**
 * Hashes path, kind, size and time of everything below a root. The time is that of the last change of any kind, which
 * nobody can set.
 */
function fingerprint(root: ScanRoot, options: ScanOptions): { digest: string; bytes: number } {
  const hash = createHash('sha256').update(`${INDEX_VERSION}\0${root.label}\0`);
  let bytes = 0;
  const visit = (path: string, where: string): void => {
    if (options.skip?.(where) === true) return;
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info === undefined) return;
    hash.update(`${where}\0${info.mode}\0${info.isDirectory() ? '' : `${info.size}\0${info.ctimeMs}`}\n`);
    if (info.isFile()) bytes += info.size;
    if (info.isDirectory()) for (const name of namesIn(path)) visit(`${path}/${name}`, `${where}/${name}`);
  };
  visit(root.directory, root.label);
  return { digest: hash.digest('hex'), bytes };
}

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

function isProgram(path: string): boolean {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  try {
    const file = openSync(path, 'r');
    const head = Buffer.alloc(ELF.length);
    try {
      return readSync(file, head) === ELF.length && head.equals(ELF);
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
