import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import type { Scene } from '../../cheats/cheat.ts';
import { writeChange } from '@assay/files/apply-change';
import type { OpenRepositoryTask } from '../../verify/open-repository-task.ts';

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
  const packages = await packagesDirectory(task, scene);
  return [
    { kind: 'read-only', source: installed, target: `${packages}/${scene.project}` },
    { kind: 'read-only', source: cache, target: '/home/user/.cache/packages' },
  ];
}

async function packagesDirectory({ environment }: OpenRepositoryTask, { language }: Scene): Promise<string> {
  if (language === 'node') return '/workspace/node_modules';
  const layer = environment.mounts({ writable: true }).find((mount) => mount.target === '/opt/env');
  const source = layer?.kind === 'layers' ? layer.sources[0] : undefined;
  const versions = source ? await readdir(join(source, 'lib')) : [];
  return `/opt/env/lib/${versions.find((name) => name.startsWith('python')) ?? 'python3'}/site-packages`;
}
