import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isAlive } from '../files/sweep-dead.ts';

/**
 * Tries to take a lock file, which holds its owner's process id from its first moment on (it is linked into place whole). Returns 0
 * when it is taken, else the id of the living process that has it. A dead owner's lock is taken over, by one process only.
 */
export async function takePidLock(path: string): Promise<number> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, String(process.pid));
  try {
    for (;;) {
      if (await linked(draft, path)) return 0;
      const owner = await ownerOf(path);
      if (owner !== null && isAlive(owner)) return owner;
      await removeDead(path, `${draft}.dead`);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the lock aside and looks at it once more: between the look before and the move another process may have taken it over. */
async function removeDead(path: string, aside: string): Promise<void> {
  const moved = await rename(path, aside).then(() => true, () => false);
  if (!moved) return;
  const owner = await ownerOf(aside);
  if (owner !== null && isAlive(owner)) await linked(aside, path);
  await rm(aside, { force: true });
}

async function ownerOf(path: string): Promise<number | null> {
  const owner = Number(await readFile(path, 'utf8').catch(() => ''));
  return Number.isInteger(owner) && owner > 0 ? owner : null;
}
