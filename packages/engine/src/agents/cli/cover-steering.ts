import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';

export interface SteeringCover {
  /** Empty read-only mounts over what is there; add them after the mount of the repository. */
  mounts: Mount[];
  /** Links, which no mount can cover, for `deleted` of the repository's layers. */
  deleted: string[];
  /** All covered paths of the repository. */
  covered: string[];
}

/**
 * Decides which paths of a tree must be covered so that it does not steer an agent. The tree may be hostile: no link is
 * followed. Missing paths are not covered, so that no empty file appears in the agent's repository.
 */
export async function coverSteering(treeDirectory: string, paths: readonly string[]): Promise<SteeringCover> {
  const cover: SteeringCover = { mounts: [], deleted: [], covered: [] };
  for (const path of paths) {
    const found = await whatIsAt(treeDirectory, path);
    if (found === null || cover.covered.some((other) => isWithin(found.path, other))) continue;
    cover.covered.push(found.path);
    if (found.isLink) cover.deleted.push(found.path);
    else cover.mounts.push({ kind: 'hidden', target: `/workspace/${found.path}` });
  }
  return cover;
}

/** Removes covered paths from a change: they count as unchanged, whatever became of them. */
export function withoutCovered(change: ChangeSet, covered: readonly string[]): ChangeSet {
  const isCovered = (path: string): boolean => covered.some((each) => isWithin(path, each));
  return {
    files: change.files.filter(({ path }) => !isCovered(path)),
    deleted: change.deleted.filter((path) => !isCovered(path)),
  };
}

const isWithin = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`);

/** Returns the path itself, or the link on the way to it; null when neither exists. */
async function whatIsAt(treeDirectory: string, path: string): Promise<{ path: string; isLink: boolean } | null> {
  let walked = '';
  for (const part of path.split('/')) {
    walked = walked === '' ? part : `${walked}/${part}`;
    const entry = await lstat(join(treeDirectory, walked)).catch(() => null);
    if (entry === null) return null;
    if (entry.isSymbolicLink()) return { path: walked, isLink: true };
  }
  return { path: walked, isLink: false };
}
