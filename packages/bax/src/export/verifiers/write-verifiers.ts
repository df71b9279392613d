import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { writeAtomic } from '@assay/files/atomic-write';
import { listOutput, makeOutputDirectory, unwritable } from '@assay/files/output-place';
import { AssayError, type WrittenPackage } from '@assay/protocol';
import { writeDataset } from '../write-dataset.ts';

/**
 * Writes the Python package `baxbench`, an environment for `verifiers`, into a directory that is new or empty. Throws
 * `OUTPUT_OCCUPIED` for one that holds something, `OUTPUT_UNWRITABLE` for a place that takes nothing. `assay`: absolute
 * path of the command that is to grade.
 */
export async function writeVerifiers(target: string, { assay }: { assay: string | null }): Promise<WrittenPackage> {
  const directory = resolve(target);
  const there = await listOutput(directory);
  if (there.length > 0) throw new AssayError('OUTPUT_OCCUPIED', { path: target, detail: `such as ${there[0]}` });
  // beside the target, and renamed when whole
  const draft = join(
    dirname(directory),
    `.${basename(directory)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`,
  );
  try {
    await makeOutputDirectory(dirname(directory));
    await cp(join(import.meta.dirname, 'package'), draft, {
      recursive: true,
      filter: (path) => !path.includes('__pycache__'),
    });
    const data = join(draft, 'baxbench', 'data');
    await mkdir(data);
    const { rows } = await writeDataset(join(data, 'baxbench.parquet'));
    if (assay !== null) await writeAtomic(join(data, 'assay-path.txt'), `${assay}\n`);
    await rename(draft, directory);
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
    return { directory: target, files: files.sort(), rows, assay };
  } catch (error) {
    throw unwritable(target, error);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
