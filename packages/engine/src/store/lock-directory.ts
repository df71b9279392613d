import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { isAlive } from './is-alive.ts';

/** Keeps other assay processes out of a directory until the returned function is called. A dead owner's lock is taken over. Throws `OUTPUT_BUSY`. */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lock = join(path, '.assay-lock');
  for (;;) {
    try {
      const file = await open(lock, 'wx');
      await writeFile(file, String(process.pid));
      await file.close();
      return () => rm(lock, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = Number(await readFile(lock, 'utf8').catch(() => '0'));
    if (owner > 0 && isAlive(owner)) throw new AssayError('OUTPUT_BUSY', { path, pid: owner });
    await rm(lock, { force: true });
  }
}
