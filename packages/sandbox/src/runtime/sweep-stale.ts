import { readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cgroupHierarchies } from '../limits/cgroup-hierarchies.ts';
import { CGROUP_PARENT, killAndRemove } from '../limits/sandbox-cgroup.ts';
import { isAlive } from '../process/process-identity.ts';
import { runtimeRoot } from './runtime-directory.ts';
import { takerOf, usersDirectory, usersInUse } from './sandbox-user.ts';

/**
 * Removes what dead processes left behind: their control groups with all that runs in them, their directories, and
 * their sandboxes' user ids, unless something still runs as one. Their mounts went with their holders. Does not touch
 * what belongs to a living process.
 */
export async function sweepStale(): Promise<void> {
  for (const { mountPoint } of cgroupHierarchies()) {
    const parent = join(mountPoint, CGROUP_PARENT);
    for (const name of list(parent).filter((entry) => isStale(ownerOf(entry)))) await killAndRemove(join(parent, name));
  }
  const root = runtimeRoot();
  for (const name of list(root).filter(isStale)) await rm(join(root, name), { recursive: true, force: true });
  await freeUsers();
}

async function freeUsers(): Promise<void> {
  const isTakerDead = (name: string): boolean => isStale(takerOf(join(usersDirectory(), name)) ?? '');
  const stale = list(usersDirectory()).filter(isTakerDead);
  if (stale.length === 0) return;
  const inUse = usersInUse();
  for (const name of stale.filter((each) => !inUse.has(Number(each)))) {
    // Another sweep may have freed it meanwhile, and another process taken it.
    if (isTakerDead(name)) rmSync(join(usersDirectory(), name), { force: true });
  }
}

let swept: Promise<void> | undefined;

/** {@link sweepStale}, at the first call in this process. */
export function sweepOnce(): Promise<void> {
  swept ??= sweepStale();
  return swept;
}

/** Control groups are named `IDENTITY-SANDBOX`. */
function ownerOf(cgroup: string): string {
  return cgroup.slice(0, Math.max(0, cgroup.lastIndexOf('-')));
}

function isStale(identity: string): boolean {
  return /^\d+-\d+(-ns\d+)?$/.test(identity) && !isAlive(identity);
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
