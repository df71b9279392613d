import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_BYTES = 64 * 1024 * 1024;
const OPEN_REGULAR = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Reads a file of a foreign tree; returns null when there is none. A link that leads out of the tree, a device, a pipe
 * and a file above `maxBytes` (default 64 MiB) count as none. Nothing may be running in the tree.
 */
export async function readTreeFile(tree: string, path: string, maxBytes = MAX_BYTES): Promise<Buffer | null> {
  const location = await within(tree, path);
  const file = location === null ? null : await open(location, OPEN_REGULAR).catch(() => null);
  if (!file) return null;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}

/** Like {@link readTreeFile}, decoded as UTF-8 without a byte order mark. */
export async function readTreeText(tree: string, path: string): Promise<string | null> {
  return (await readTreeFile(tree, path))?.toString('utf8').replace(/^\uFEFF/, '') ?? null;
}

/**
 * Lists a directory of a foreign tree. Empty when it is missing, is not a directory, or lies outside the tree by way of
 * a link.
 */
export async function listTree(tree: string, path: string): Promise<Dirent[]> {
  const location = await within(tree, path);
  return location === null ? [] : readdir(location, { withFileTypes: true }).catch(() => []);
}

async function within(tree: string, path: string): Promise<string | null> {
  const [root, location] = await Promise.all([tree, join(tree, path)].map((each) => realpath(each).catch(() => null)));
  if (!root || !location) return null;
  return location === root || location.startsWith(`${root}/`) ? location : null;
}
