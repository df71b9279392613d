import { join } from 'node:path';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { unwritable } from '@assay/files/output-place';
import { AssayError } from '@assay/protocol';
import type { StoredSample } from '../results/stored-sample.ts';

/** Codes of the system that say what lies in the way at one place, and nothing about the places beside it. */
const IN_THE_WAY = new Set(['EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOTDIR', 'ENOTEMPTY']);

/**
 * Throws `UNSAFE_PATH` where something in the sample's own directory is in the way, `OUTPUT_UNWRITABLE` where this user
 * may write nothing, and `DISK_FULL`.
 */
export async function storing({ directory }: StoredSample, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    const refused = unwritable(directory, error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!AssayError.is(refused) || !IN_THE_WAY.has(code)) throw refused;
    throw new AssayError(
      'UNSAFE_PATH',
      { path: directory, detail: String(refused.details['detail']) },
      { cause: error },
    );
  });
}

/** Throws `OUTPUT_UNWRITABLE` and `DISK_FULL`. */
export async function writeReport(tree: string, report: object): Promise<void> {
  const path = join(tree, 'report.json');
  await writeJsonAtomic(path, report).catch((error: unknown) => {
    throw unwritable(path, error);
  });
}
