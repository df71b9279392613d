import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import type { Scene } from '../../../cheats/cheat.ts';
import { ecosystemOf } from '../../../ecosystems/index.ts';
import { writeChange } from '@assay/files/apply-change';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

/**
 * The seal `environment` off: a newer release of the target is installed, and its archive lies in the package manager's
 * cache.
 */
export async function plantEnvironment(
  task: OpenRepositoryTask,
  scene: Scene,
  release: string,
  directory: string,
): Promise<Mount[]> {
  const installed = join(directory, 'installed');
  await mkdir(join(installed, '.fixed'), { recursive: true });
  await writeChange(task.reference, join(installed, '.fixed'));
  const cache = join(directory, 'cache');
  await mkdir(cache);
  await copyFile(release, join(cache, `${scene.project}-fixed.tgz`));
  const { packages } = ecosystemOf(task.task.meta.environment.ecosystem);
  const installedAt = await packages.installedAt(task.environment);
  return [
    { kind: 'read-only', source: installed, target: `${installedAt}/${scene.project}` },
    { kind: 'read-only', source: cache, target: '/home/user/.cache/packages' },
  ];
}
