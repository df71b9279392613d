import { open } from 'node:fs/promises';
import { AssayError, type MirrorResult } from '@assay/protocol';
import { harmlessText } from '@assay/protocol/harmless-text';
import { z } from 'zod';
import type { LaneRecord } from '@assay/lanes/package-lane/contract';
import { PACKAGE_INDEXES } from '@assay/lanes/package-lane/package-indexes';
import { openPackageMirror, type PackageMirror } from '@assay/lanes/package-lane/package-mirror';
import { cacheDirectory } from '@assay/files/store/paths';

/** Requests that are reported one by one, so that a client in a loop does not fill the log. */
const MAX_TOLD = 1000;
const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

export interface MirrorRequest {
  /** Nothing uploaded after this instant is visible. */
  before: Date;
  exclude: readonly string[];
  /** Port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** A `package.json` of that time, against which npm's dates are weighed. */
  manifest?: string;
  onOpen: (mirror: Pick<PackageMirror, 'missing' | 'indexes'>) => void;
  /** Each path that was refused or failed, once. */
  onRefused: (line: string) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Runs the package lane alone, on loopback, until the signal fires. Throws `BAD_OPTION` before it listens when anything
 * that was given is of no use, and `UPSTREAM_UNKNOWN` when no package manager of this machine says where packages come
 * from.
 */
export async function runMirror(request: MirrorRequest): Promise<MirrorResult> {
  const { before, port = 0, manifest, onOpen, onRefused, signal } = request;
  const exclude = [...new Set(request.exclude)];
  const unusable = exclude.find((name) => !PACKAGE_INDEXES.some((index) => index.isName(name)));
  if (unusable !== undefined)
    throw new AssayError('BAD_OPTION', {
      option: '--exclude',
      detail: `${JSON.stringify(harmlessText(unusable).slice(0, 100))} is no name of a package`,
    });
  if (port > 65_535) throw new AssayError('BAD_OPTION', { option: '--port', detail: `there is no port ${port}` });
  const directRanges = manifest === undefined ? {} : await readRanges(manifest);
  const requests = { answered: 0, refused: 0, failed: 0, bytes: 0 };
  const told = new Set<string>();
  const onRecord = ({ method, path, status, bytes, note }: LaneRecord): void => {
    requests[status < 400 ? 'answered' : status < 500 ? 'refused' : 'failed'] += 1;
    requests.bytes += bytes;
    const line = harmlessText(`${method} ${path.slice(0, 200)}: ${note ?? status}`);
    if (status < 400 || told.has(line) || told.size >= MAX_TOLD) return;
    told.add(line);
    onRefused(line);
  };
  const mirror = await openPackageMirror({
    cutoff: before,
    exclude,
    port,
    directRanges,
    cacheDirectory: cacheDirectory(),
    onRecord,
  });
  try {
    onOpen(mirror);
    await ended(signal);
    const indexes = Object.fromEntries(
      Object.entries(mirror.indexes).map(([id, index]) => [
        id,
        index && { address: index.address, resolution: index.resolution },
      ]),
    );
    return { before: before.toISOString(), excluded: exclude, indexes, requests };
  } finally {
    await mirror.close();
  }
}

const Ranges = z.record(z.string(), z.string()).default({});
const Manifest = z.looseObject({ dependencies: Ranges, devDependencies: Ranges, optionalDependencies: Ranges });

async function readRanges(path: string): Promise<Record<string, string>> {
  const bad = (detail: string): AssayError =>
    new AssayError('BAD_OPTION', { option: '--manifest', detail: `${path}: ${detail}` });
  const text = await readBounded(path).catch(() => {
    throw bad('it cannot be read');
  });
  if (text === null) throw bad(`it is no file of at most ${MAX_MANIFEST_BYTES} bytes`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw bad('it is no JSON');
  }
  const parsed = Manifest.safeParse(json);
  if (!parsed.success)
    throw bad(`it is no package.json: ${parsed.error.issues[0]?.path.join('.') || 'it'} is not as it should be`);
  const { dependencies, devDependencies, optionalDependencies } = parsed.data;
  return { ...optionalDependencies, ...devDependencies, ...dependencies };
}

async function readBounded(path: string): Promise<string | null> {
  const file = await open(path, 'r');
  try {
    const status = await file.stat();
    return status.isFile() && status.size <= MAX_MANIFEST_BYTES ? await file.readFile('utf8') : null;
  } finally {
    await file.close();
  }
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
