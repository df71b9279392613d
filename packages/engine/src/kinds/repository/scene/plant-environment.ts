import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import type { Scene } from '../../../cheats/cheat.ts';
import { ecosystemOf } from '../../../ecosystems/index.ts';
import { writeChange } from '@assay/files/apply-change';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';

export interface PlantedEnvironment {
  /** A directory that lies over the tree of T0. */
  layer: string;
  mounts: Mount[];
}

/**
 * The seal `environment` off: newer releases of the target are installed, by themselves, inside of another package and
 * by the operating system; archive and patch lie in caches; and the tree has the output of a build and of tests.
 */
export async function plantEnvironment(
  task: OpenRepositoryTask,
  { project, expectedIds }: Scene,
  { release, marker, directory }: { release: string; marker: string; directory: string },
): Promise<PlantedEnvironment> {
  const at = async (...parts: string[]): Promise<string> => {
    const path = join(directory, ...parts);
    await mkdir(path, { recursive: true });
    return path;
  };
  const caches = await at('caches');
  const layer = await at('layer');
  for (const place of [
    await at('installed', '.fixed'),
    await at('bringer', '_vendor', project),
    await at('system', 'source'),
    join(layer, 'build', 'lib'),
  ])
    await writeChange(task.reference, place);
  await copyFile(release, join(await at('caches', 'packages'), `${project}-fixed.tgz`));
  const datasets = await at('caches', 'datasets', 'tasks');
  await copyFile(join(task.task.directory, 'solution', 'reference.diff'), join(datasets, `${project}.patch`));
  const remembered = Object.fromEntries([...expectedIds, `hidden test ${marker}`].map((id) => [id, true]));
  const lastFailed = join(await at('layer', '.pytest_cache', 'v', 'cache'), 'lastfailed');
  await writeFile(lastFailed, JSON.stringify(remembered));
  const { packages } = ecosystemOf(task.task.meta.environment.ecosystem);
  const installedAt = await packages.installedAt(task.environment);
  const mount = (source: string, target: string): Mount => ({ kind: 'read-only', source, target });
  return {
    layer,
    mounts: [
      mount(join(directory, 'installed'), `${installedAt}/${project}`),
      mount(join(directory, 'bringer'), `${installedAt}/bringer`),
      mount(join(directory, 'system'), `/opt/packages/${project}`),
      mount(join(caches, 'packages'), '/home/user/.cache/packages'),
      mount(join(caches, 'datasets'), '/home/user/.cache/datasets'),
    ],
  };
}
