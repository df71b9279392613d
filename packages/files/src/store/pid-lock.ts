import { randomBytes } from 'node:crypto';
import { link, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { isOwnerAlive, ownerIdentity } from '@assay/sandbox';
import { readRegularFile } from '../read-regular-file.ts';
import { isAlive } from '../sweep-dead.ts';

/** Process id, start time, and the pid namespace where that is not the first one; an older Assay wrote the id alone. */
const OWNER = /^(\d+)(?:-\d+(-ns\d+)?)?$/;
const LONGEST_OWNER = 100;

/**
 * Tries to take a lock file, which holds its owner's identity from its first moment on (it is linked into place whole).
 * Returns 0 when it is taken, else the id of the living process that has it. A dead owner's lock is taken over, by one
 * process only. Throws `OUTPUT_UNWRITABLE` when something else than a file lies in its place.
 */
export async function takePidLock(path: string): Promise<number> {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, ownerIdentity());
  try {
    for (;;) {
      if (await linked(draft, path)) return 0;
      const owner = await livingOwnerOf(path);
      if (owner !== null) return owner;
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

/**
 * Moves the lock aside and looks at it once more: between the look before and the move another process may have taken
 * it over.
 */
async function removeDead(path: string, aside: string): Promise<void> {
  const entry = await lstat(path).catch(() => null);
  if (entry && !entry.isFile())
    throw new AssayError('OUTPUT_UNWRITABLE', { path, detail: 'it is no file, and no lock of Assay' });
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await livingOwnerOf(aside)) !== null) await linked(aside, path);
  await rm(aside, { force: true });
}

async function livingOwnerOf(path: string): Promise<number | null> {
  const identity = (await readRegularFile(path, LONGEST_OWNER)) ?? '';
  const [, pid, namespace = ''] = OWNER.exec(identity) ?? [];
  if (pid === undefined || Number(pid) === 0) return null;
  return isLiving(identity, Number(pid), namespace) ? Number(pid) : null;
}

/** An id alone says little, as ids come again; that of another container says next to nothing, but is all there is. */
function isLiving(identity: string, pid: number, namespace: string): boolean {
  const own = OWNER.exec(ownerIdentity())?.[2] ?? '';
  if (identity.includes('-') && namespace === own) return isOwnerAlive(identity);
  return isAlive(pid) && (pid !== process.pid || !identity.includes('-'));
}
