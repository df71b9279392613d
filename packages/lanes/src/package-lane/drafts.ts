import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeOutputDirectory } from '@assay/files/output-place';
import { sweepDead } from '@assay/files/sweep-dead';

/** Makes a directory for unfinished files and removes those of killed processes. */
export async function openDrafts(directory: string): Promise<void> {
  await makeOutputDirectory(directory);
  await sweepDead(directory, /^(\d+)\./);
}

/** Returns a path for an unfinished file that names its process. */
export const newDraft = (directory: string): string =>
  join(directory, `${process.pid}.${randomBytes(8).toString('hex')}`);
