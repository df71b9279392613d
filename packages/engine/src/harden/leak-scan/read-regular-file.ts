import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The content of a file below a directory; null when there is none, or when it or a directory on its way is a link. */
export function readRegularFile(directory: string, path: string): Buffer | null {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return null;
  try {
    for (let length = 1; length < parts.length; length += 1)
      if (!lstatSync(join(directory, ...parts.slice(0, length))).isDirectory()) return null;
    const descriptor = openSync(
      join(directory, ...parts),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      return fstatSync(descriptor).isFile() ? readFileSync(descriptor) : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}
