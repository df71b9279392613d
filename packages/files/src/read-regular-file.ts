import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** No link is followed, and a pipe that nobody writes to does not keep the reader waiting. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The text of a file in a directory that others may have filled; null when it is not there, no regular file, or longer
 * than `limit` bytes.
 */
export async function readRegularFile(path: string, limit: number): Promise<string | null> {
  const file = await open(path, OPEN_FILE).catch(() => null);
  if (file === null) return null;
  try {
    const stats = await file.stat();
    return stats.isFile() && stats.size <= limit ? await file.readFile('utf8') : null;
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
