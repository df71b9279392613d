import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { packChange } from '@assay/files/pack-change';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

/**
 * The archive that a registry would hold: the fixed sources, and the hidden tests as source distributions have them.
 */
export async function packFixedRelease({ reference, hidden }: OpenRepositoryTask, path: string): Promise<string> {
  await writeFile(path, gzipSync(await packChange({ files: [...reference.files, ...hidden.files], deleted: [] })));
  return path;
}
