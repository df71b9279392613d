import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AssayError } from '@assay/protocol';
import { readManifest } from './tree-manifest.ts';

/** Files are read in pieces of this size; smaller ones at once. */
const PIECE_BYTES = 1024 * 1024;

/** Returns the sha256 as hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the sha256 of a file as hex, whatever its size. */
export async function sha256File(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size <= PIECE_BYTES) return sha256(await readFile(path));
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), hash);
  return hash.digest('hex');
}

/** Returns `sha256:<hex>` over `<path>\0<sha256>\n` of every entry, sorted by the paths' bytes. */
export function digestEntries(entries: Iterable<readonly [path: string, sha256: string]>): string {
  const lines = [...entries].map(([path, hex]) => Buffer.from(`${path}\0${hex}\n`)).sort(Buffer.compare);
  return `sha256:${sha256(Buffer.concat(lines))}`;
}

/**
 * {@link digestEntries} of all files of a directory. Throws `UNSAFE_PATH` when it holds anything but directories and
 * regular files.
 */
export async function digestDirectory(
  directory: string,
  options: { ignore?: readonly string[] } = {},
): Promise<string> {
  const { manifest, skipped } = await readManifest(directory, options);
  const [odd] = skipped;
  if (odd) throw new AssayError('UNSAFE_PATH', { path: odd.path, detail: odd.reason });
  return digestEntries([...manifest].map(([path, entry]) => [path, entry.sha256] as const));
}
