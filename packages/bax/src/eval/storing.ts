import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { unwritable } from '@assay/files/output-place';
import type { StoredSample } from '../results/stored-sample.ts';

/** Throws `OUTPUT_UNWRITABLE` where something in the tree is in the way, and `DISK_FULL`. */
export async function storing({ directory }: StoredSample, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    throw unwritable(directory, error);
  });
}

/** Throws as {@link storing} does. */
export async function writeReport(tree: string, report: object): Promise<void> {
  const path = join(tree, 'report.json');
  await writeJsonAtomic(path, report).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}
