import { statfs } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';

/** With less free space than this, a failed program is taken to have run out of it: some remove what they wrote. */
const ROOM_BYTES = 8 * 1024 * 1024;

/** Whether the system would write no more for want of room. Its own message names no place. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

/** Makes the error. `path` is the file to be written, or its directory. */
export function diskFull(path: string, cause: unknown): AssayError {
  return new AssayError('DISK_FULL', { path }, { cause });
}

/**
 * Runs what writes at `path` or below it. Throws `DISK_FULL` with that place when the system says so, and else what
 * `work` throws.
 */
export async function withinDisk<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw isDiskFull(error) ? diskFull(path, error) : error;
  }
}

/**
 * The same of work that programs do, which tell nobody why they failed: throws `DISK_FULL` also when next to no room is
 * left at `path` then.
 */
export async function buildWithinDisk<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await withinDisk(path, work);
  } catch (error) {
    if (AssayError.is(error) && ['DISK_FULL', 'INTERRUPTED'].includes(error.code)) throw error;
    throw (await isWithoutRoom(path)) ? diskFull(path, error) : error;
  }
}

/** Asks the file system: the output of a build may be foreign and proves nothing. */
async function isWithoutRoom(path: string): Promise<boolean> {
  return await statfs(path).then(
    ({ bavail, bsize }) => bavail * bsize < ROOM_BYTES,
    () => false,
  );
}
