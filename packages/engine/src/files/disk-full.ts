import { statfs } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';

/** With less than this, whatever was at work is taken to have filled it. */
const ROOM_BYTES = 256 * 1024;

/** Whether the system would write no more for want of room. Its own message names no place. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** `path`: what was to be written, or the directory for it. */
export function diskFull(path: string, cause: unknown): AssayError {
  return new AssayError('DISK_FULL', { path }, { cause });
}

/**
 * Runs what writes at `path`, which is there, or below it. Throws `DISK_FULL` with that place when the system says so, or when no room is left after a
 * failure of which nobody could say why, such as that of a program; and else what `work` throws.
 */
export async function withinDisk<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (AssayError.is(error) && error.code === 'DISK_FULL') throw error;
    throw isDiskFull(error) || (await isWithoutRoom(path)) ? diskFull(path, error) : error;
  }
}

/** What a build printed is no witness: it may be foreign. */
async function isWithoutRoom(path: string): Promise<boolean> {
  return await statfs(path).then(({ bavail, bsize }) => bavail * bsize < ROOM_BYTES, () => false);
}
