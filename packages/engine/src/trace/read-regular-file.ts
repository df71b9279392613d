import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * A file that somebody else may have put there: what is no regular file, is a link or is larger gives null, and a pipe
 * is not waited for. Rejects when there is nothing, or it may not be read.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const entry = await file.stat();
    return entry.isFile() && entry.size <= maxBytes ? await file.readFile() : null;
  } finally {
    await file.close();
  }
}
