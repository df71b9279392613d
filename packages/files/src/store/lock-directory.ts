import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { listOutput, makeOutputDirectory, unwritable } from '../output-place.ts';
import { takeLease, type Lease } from './lease-file.ts';

const LOCK = '.assay-lock';

/**
 * Keeps other assay processes out of a directory, on this machine and on others that share it, until the returned
 * function is called. A dead owner's lease is taken over. Throws `OUTPUT_BUSY`, and `OUTPUT_UNWRITABLE` where no lease
 * can be.
 */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lease = await leaseDirectory(path);
  return () => lease.release();
}

async function leaseDirectory(path: string): Promise<Lease> {
  const lease = await takeLease(join(path, LOCK)).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  if ('heldBy' in lease) throw new AssayError('OUTPUT_BUSY', { path, pid: lease.heldBy });
  return lease;
}

export interface ClaimedDirectory<Judgement> {
  judgement: Judgement;
  /** Fires when another process has taken the directory over because this one stood still for too long. */
  lost: AbortSignal;
  /** Releases the directory to other processes. */
  unlock: () => Promise<void>;
}

/**
 * Makes a directory, if there is none, and locks it. `judge` is given what lies in it and throws when it is not to be
 * used: before anything is written there, and once more when no other process can change it. Throws as `lockDirectory`
 * and `makeOutputDirectory` do; that it is in use is told before whatever `judge` may have against it.
 */
export async function claimDirectory<Judgement>(
  path: string,
  judge: (entries: string[]) => Promise<Judgement>,
): Promise<ClaimedDirectory<Judgement>> {
  const entries = await listOutput(path);
  if (!entries.includes(LOCK)) await judge(withoutLocks(entries));
  await makeOutputDirectory(path);
  const { lost, release: unlock } = await leaseDirectory(path);
  try {
    return { judgement: await judge(withoutLocks(await listOutput(path))), lost, unlock };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A killed process may leave a lease, or the draft of one. */
const withoutLocks = (entries: string[]): string[] =>
  entries.filter((name) => name !== LOCK && !name.startsWith(`${LOCK}.`));
