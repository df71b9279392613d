import { rm } from 'node:fs/promises';
import picomatch from 'picomatch';
import type { SealName } from '@assay/protocol';
import { sandboxOwner, type Mount } from '@assay/sandbox';
import { makeTemporaryDirectory } from '@assay/files/temporary-directory';
import type { RepositoryTask } from '../bundle/task.ts';
import { deletionsBeside, writeChange } from '@assay/files/apply-change';
import type { ChangeSet, FileChange } from '@assay/files/change-set';

export interface VerifierTree {
  /** Directories for a `layers` mount, topmost first. */
  layers: string[];
  /** Paths of T0 that shall not exist. */
  deleted: string[];
  dispose(): Promise<void>;
}

interface Parts {
  task: { meta: Pick<RepositoryTask['meta'], 'steering'> };
  hidden: ChangeSet;
  t0Directory: string;
  unsealed: ReadonlySet<SealName>;
  /** Where the verifier mounts its environment. */
  mounts?: readonly Pick<Mount, 'target'>[];
}

/**
 * T0 + submission − what steers the verifier + hidden tests, as layers; nothing is written over anything that exists.
 */
export function composeVerifierTree(
  { task, hidden, t0Directory, unsealed, mounts = [] }: Parts,
  submission: ChangeSet,
): Promise<VerifierTree> {
  const steering = unsealed.has('steering') ? [] : task.meta.steering;
  return composeTree(
    composeChange({
      submission: withoutMountPoints(submission, mounts),
      hidden,
      steering,
      hiddenWins: !unsealed.has('hidden-tests'),
    }),
    t0Directory,
  );
}

/**
 * Without files where the verifier needs a directory to mount something at: no sandbox would start, and a submission
 * must not be able to make its own verdict unknown.
 */
function withoutMountPoints(submission: ChangeSet, mounts: readonly Pick<Mount, 'target'>[]): ChangeSet {
  const blocks = ({ path }: FileChange): boolean =>
    mounts.some(({ target }) => `${target}/`.startsWith(`/workspace/${path}/`));
  return { ...submission, files: submission.files.filter((file) => !blocks(file)) };
}

/** T0 with a change, as layers. */
export async function composeTree(change: ChangeSet, t0Directory: string): Promise<VerifierTree> {
  const directory = await makeTemporaryDirectory('tree');
  try {
    await writeChange(change, directory, sandboxOwner);
    return {
      layers: [directory, t0Directory],
      deleted: change.deleted,
      dispose: () => rm(directory, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

interface Composition {
  submission: ChangeSet;
  hidden: ChangeSet;
  steering: readonly string[];
  hiddenWins: boolean;
}

/**
 * The change against T0 that the verifier's tree shows. A path that steers the verifier stays as at T0 unless a hidden
 * test brings it.
 */
export function composeChange({ submission, hidden, steering, hiddenWins }: Composition): ChangeSet {
  const steers = steeringMatcher(steering);
  const files = new Map<string, FileChange>();
  const deleted = new Set<string>();
  const apply = (change: ChangeSet, allowed: (path: string) => boolean): void => {
    for (const path of change.deleted) {
      if (!allowed(path)) continue;
      files.delete(path);
      deleted.add(path);
    }
    for (const file of change.files) {
      if (!allowed(file.path)) continue;
      files.set(file.path, file);
      deleted.delete(file.path);
    }
  };
  apply(submission, (path) => !steers(path));
  if (hiddenWins) makeRoom(files, hidden);
  apply(hidden, (path) => hiddenWins || !files.has(path));
  const change = { files: [...files.values()], deleted: [...deleted] };
  return { ...change, deleted: deletionsBeside(change) };
}

/**
 * Whether a path steers the verifier. Line breaks are characters of a name like others, so that no path slips past a
 * pattern by one.
 */
export function steeringMatcher(steering: readonly string[]): (path: string) => boolean {
  const patterns = steering.map((glob) => new RegExp(picomatch.makeRe(glob, { dot: true }).source, 's'));
  return (path) => patterns.some((pattern) => pattern.test(path));
}

/** A file of the submission where a hidden test needs a directory, or the other way round, gives way. */
function makeRoom(files: Map<string, FileChange>, hidden: ChangeSet): void {
  for (const { path } of hidden.files) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1))
      files.delete(path.slice(0, slash));
  }
  const hiddenPaths = new Set(hidden.files.map((file) => file.path));
  for (const path of files.keys()) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1))
      if (hiddenPaths.has(path.slice(0, slash))) files.delete(path);
  }
}
