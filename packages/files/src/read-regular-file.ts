import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';

/** Follows no link, and does not wait for a writer when the file turns out to be a pipe. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a file that somebody else may have put there. Answers null when it is missing, unreadable, not a regular file,
 * or longer than `maxBytes`.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | null> {
  const file = await open(path, OPEN_FILE).catch(() => null);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile() : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

/** Like {@link readRegularFile}, for `path` below `directory`: no directory on the way may be a link either. */
export function readRegularFileBelow(directory: string, path: string): Buffer | null {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null;
  try {
    for (let length = 1; length < parts.length; length += 1)
      if (!lstatSync(join(directory, ...parts.slice(0, length))).isDirectory()) return null;
    const descriptor = openSync(join(directory, ...parts), OPEN_FILE);
    try {
      return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}
