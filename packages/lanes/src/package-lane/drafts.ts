import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeOutputDirectory } from '@assay/files/output-place';
import { sweepDead } from '@assay/files/sweep-dead';

/** Makes a directory for half-written files and removes from it what killed processes left. */
export async function openDrafts(directory: string): Promise<void> {
  await makeOutputDirectory(directory);
  await sweepDead(directory, /^(\d+)\./);
}

/** A path for a half-written file, which tells whose it is. */
export const newDraft = (directory: string): string =>
  join(directory, `${process.pid}.${randomBytes(8).toString('hex')}`);
