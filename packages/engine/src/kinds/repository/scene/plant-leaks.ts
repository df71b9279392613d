import { join } from 'node:path';
import type { SealName } from '@assay/protocol';
import type { Mount } from '@assay/sandbox';
import type { Scene } from '../../../cheats/cheat.ts';
import type { OpenRepositoryTask } from '../../../verify/open-repository-task.ts';
import { plantEnvironment } from './plant-environment.ts';
import { plantHistory } from './plant-history.ts';
import { plantLeftovers } from './plant-leftovers.ts';
import { plantOracle } from './plant-oracle.ts';

interface LeakOptions {
  task: OpenRepositoryTask;
  scene: Scene;
  unsealed: ReadonlySet<SealName>;
  /** The archive of the fixed release. */
  release: string;
  marker: string;
  directory: string;
}

/** Plants, for each seal that is off, the files that it would have kept out of the agent's sandbox. */
export async function plantLeaks(options: LeakOptions): Promise<{ layers: string[]; mounts: Mount[] }> {
  const { task, scene, unsealed, release, marker } = options;
  const place = (name: string): string => join(options.directory, name);
  const layers: string[] = [];
  const mounts: Mount[] = [];
  const add = (planted: { layer: string; mounts: Mount[] }): void => {
    layers.push(planted.layer);
    mounts.push(...planted.mounts);
  };
  if (unsealed.has('history')) add(await plantHistory(task, { ...scene, marker, directory: place('history') }));
  if (unsealed.has('environment'))
    add(await plantEnvironment(task, scene, { release, marker, directory: place('environment') }));
  if (unsealed.has('oracle-outside')) mounts.push(...(await plantOracle(task, { directory: place('oracle'), marker })));
  if (unsealed.has('clean-env')) add(await plantLeftovers(place('leftovers'), marker));
  return { layers, mounts };
}
