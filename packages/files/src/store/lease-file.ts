import { randomBytes } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { link, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { isOwnerAlive, ownerIdentity } from '@assay/sandbox';
import { readRegularFile } from '../read-regular-file.ts';
import { isAlive } from '../sweep-dead.ts';

/** Age at which a lease runs out, unless its owner is known to live. It is renewed three times within it. */
const LEASE_MS = 60_000;
/** Process id, start time, and the pid namespace where that is not the first one; an older Assay wrote the id alone. */
const OWNER = /^(\d+)(?:-\d+(-ns\d+)?)?$/;
const LONGEST_CONTENT = 300;

/** A file that this process holds, until it releases it or dies. */
export interface Lease {
  /** Fires when another process has taken it over, because this one stood still for longer than a lease lasts. */
  lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Tries to take a file as a lease. It holds its owner's identity from its first moment on (it is linked into place
 * whole), and its time of change is renewed while it is held. A dead owner's lease is taken over, by one process only:
 * at once where the owner was of this machine and is seen to be dead, else when the lease has run out. Answers the id
 * of the process that has it otherwise. Throws `OUTPUT_UNWRITABLE` when something else than a file lies in its place.
 */
export async function takeLease(path: string, leaseMs = LEASE_MS): Promise<Lease | { heldBy: number }> {
  const content = `${ownerIdentity()}\n${bootId()}\n${randomBytes(8).toString('hex')}\n`;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, content);
  try {
    for (;;) {
      if (await linked(draft, path)) return hold(path, content, leaseMs);
      // The file system's own clock, which may be another machine's.
      const { mtimeMs: now } = await lstat(draft);
      const owner = await holderOf(path, now - leaseMs);
      if (owner !== null) return { heldBy: owner };
      await removeDead(path, `${draft}.dead`, now - leaseMs);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

function hold(path: string, content: string, leaseMs: number): Lease {
  const lost = new AbortController();
  const isOurs = async (): Promise<boolean> => (await readRegularFile(path, LONGEST_CONTENT))?.toString() === content;
  const renew = async (): Promise<void> => {
    if (!(await rewritten(path, content))) lost.abort(new AssayError('OUTPUT_BUSY', { path, pid: 0 }));
  };
  const renewing = setInterval(() => void renew().catch(() => undefined), leaseMs / 3);
  renewing.unref();
  return {
    lost: lost.signal,
    release: async () => {
      clearInterval(renewing);
      if (await isOurs()) await rm(path, { force: true });
    },
  };
}

/**
 * Writes what a file holds into it again, so that its time of change is that of the file system. False when it holds
 * something else: whatever took its place since it was opened stays as it is.
 */
async function rewritten(path: string, content: string): Promise<boolean> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return false;
  try {
    if ((await file.readFile('utf8')) !== content) return false;
    await file.write(content, 0);
    return true;
  } finally {
    await file.close();
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
 * Moves the lease aside and looks at it once more: between the look before and the move another process may have taken
 * it over.
 */
async function removeDead(path: string, aside: string, endedBefore: number): Promise<void> {
  const entry = await lstat(path).catch(() => null);
  if (entry && !entry.isFile())
    throw new AssayError('OUTPUT_UNWRITABLE', { path, detail: 'it is no file, and no lock of Assay' });
  const moved = await rename(path, aside).then(
    () => true,
    () => false,
  );
  if (!moved) return;
  if ((await holderOf(aside, endedBefore)) !== null) await linked(aside, path);
  await rm(aside, { force: true });
}

/** Returns the process that holds a lease; null when it is dead, or last renewed it before `endedBefore`. */
async function holderOf(path: string, endedBefore: number): Promise<number | null> {
  const [identity = '', boot] = ((await readRegularFile(path, LONGEST_CONTENT))?.toString() ?? '').split('\n');
  const [, id, namespace = ''] = OWNER.exec(identity) ?? [];
  const pid = Number(id ?? 0);
  if (pid === 0) return null;
  const own = OWNER.exec(ownerIdentity())?.[2] ?? '';
  const isHere = (boot === undefined || boot === bootId()) && namespace === own;
  if (isHere) return isLivingHere(identity, pid) ? pid : null;
  const entry = await lstat(path).catch(() => null);
  return entry !== null && entry.mtimeMs > endedBefore ? pid : null;
}

/** An older Assay wrote the id alone, which proves little because ids are reused. */
const isLivingHere = (identity: string, pid: number): boolean =>
  identity.includes('-') ? isOwnerAlive(identity) : isAlive(pid);

let boot: string | undefined;

/** Identifies this machine and its boot, or returns `unknown` when the kernel does not tell. */
function bootId(): string {
  if (boot !== undefined) return boot;
  try {
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    boot = 'unknown';
  }
  return boot;
}
