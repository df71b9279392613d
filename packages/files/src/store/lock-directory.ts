import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { listOutput, makeOutputDirectory, unwritable } from '../output-place.ts';
import { takePidLock } from './pid-lock.ts';

const LOCK = '.assay-lock';

/**
 * Keeps other assay processes out of a directory until the returned function is called. A dead owner's lock is taken
 * over. Throws `OUTPUT_BUSY`, and `OUTPUT_UNWRITABLE` where no lock can be.
 */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lock = join(path, LOCK);
  const owner = await takePidLock(lock).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  if (owner !== 0) throw new AssayError('OUTPUT_BUSY', { path, pid: owner });
  return () => rm(lock, { force: true });
}

export interface ClaimedDirectory<Judgement> {
  judgement: Judgement;
  /** Lets other processes use it. */
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
  const unlock = await lockDirectory(path);
  try {
    return { judgement: await judge(withoutLocks(await listOutput(path))), unlock };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** A killed process may leave a lock, or the draft of one. */
const withoutLocks = (entries: string[]): string[] =>
  entries.filter((name) => name !== LOCK && !name.startsWith(`${LOCK}.`));
