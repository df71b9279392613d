import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import { writeChange } from '@assay/files/apply-change';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

/**
 * The seal `oracle-outside` off: /solution and /tests lie in the agent's sandbox, as with graders that share one
 * container, and the reproducer that the task was made with.
 */
export async function plantOracle(
  { reference, hidden }: OpenRepositoryTask,
  { directory, marker }: { directory: string; marker: string },
): Promise<Mount[]> {
  const mounts: Mount[] = [];
  for (const [target, change] of [
    ['/solution', reference],
    ['/tests', hidden],
  ] as const) {
    const files = join(directory, target, 'files');
    await mkdir(files, { recursive: true });
    await writeChange(change, files);
    mounts.push({ kind: 'read-only', source: join(directory, target), target });
  }
  const reproducer = join(directory, 'poc');
  await mkdir(reproducer);
  await writeFile(join(reproducer, 'input'), `${marker}\n`);
  return [...mounts, { kind: 'read-only', source: reproducer, target: '/poc' }];
}
