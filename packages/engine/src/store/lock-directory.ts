import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { takePidLock } from './pid-lock.ts';

/** Keeps other assay processes out of a directory until the returned function is called. A dead owner's lock is taken over. Throws `OUTPUT_BUSY`. */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lock = join(path, '.assay-lock');
  const owner = await takePidLock(lock);
  if (owner !== 0) throw new AssayError('OUTPUT_BUSY', { path, pid: owner });
  return () => rm(lock, { force: true });
}
