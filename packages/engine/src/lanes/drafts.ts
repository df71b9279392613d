import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepDead } from '../files/sweep-dead.ts';

/** Makes a directory for half-written files and removes from it what killed processes left. */
export async function openDrafts(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await sweepDead(directory, /^(\d+)\./);
}

/** A path for a half-written file, which tells whose it is. */
export const newDraft = (directory: string): string => join(directory, `${process.pid}.${randomBytes(8).toString('hex')}`);
