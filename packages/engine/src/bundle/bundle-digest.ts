import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestEntries, sha256, sha256File } from '@assay/files/content-digest';
import { type BundleFile, listBundle } from './bundle-files.ts';

// The environment's digest has no prefix and so does not match.
const DIGEST_LINE = /^digest = "(sha256:[0-9a-f]{64})"$/gm;

/**
 * Computes `sha256:<hex>` over the paths and contents of every file, with the value of task.toml's one digest line left
 * empty. Modes, times and empty directories do not count. Throws `TASK_UNSAFE` as {@link listBundle} does.
 */
export async function bundleDigest(directory: string): Promise<string> {
  return digestFiles(directory, await listBundle(directory));
}

/** Like {@link bundleDigest}, for a listing made earlier, and with other bytes for task.toml if given. */
export async function digestFiles(directory: string, files: BundleFile[], toml?: Buffer): Promise<string> {
  return digestEntries(await hashFiles(directory, files, toml));
}

/** The sha256 of each file, by its path, as it counts for {@link digestFiles}. */
export async function hashFiles(directory: string, files: BundleFile[], toml?: Buffer): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  const known = new Map<string, string>();
  for (const file of files) {
    const path = join(directory, file.path);
    // Hard links are read once.
    const hex =
      file.path === 'task.toml'
        ? digestToml(toml ?? (await readFile(path)))
        : (known.get(file.inode) ?? (await sha256File(path)));
    if (file.path !== 'task.toml') known.set(file.inode, hex);
    hashes.set(file.path, hex);
  }
  return hashes;
}

/**
 * Returns the value of the digest line; null when there is none or more than one, so that nothing can hide behind it.
 */
export function recordedDigest(toml: string): string | null {
  const lines = [...toml.matchAll(DIGEST_LINE)];
  return lines.length === 1 ? (lines[0]?.[1] ?? null) : null;
}

/** Replaces the value in the digest line. */
export function withDigest(toml: string, digest: string): string {
  return toml.replace(DIGEST_LINE, `digest = "${digest}"`);
}

function digestToml(bytes: Buffer): string {
  // Latin-1 preserves every byte, even in a file that is not UTF-8.
  return sha256(Buffer.from(withDigest(bytes.toString('latin1'), ''), 'latin1'));
}
