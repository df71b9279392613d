import { closeSync, fchmodSync, fchownSync, lstatSync, openSync, writeSync } from 'node:fs';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AssayError } from '@assay/protocol';
import { sandboxOwner } from '@assay/sandbox';
import type { ChangeSet } from './change-set.ts';
import { assertSafePath } from './safe-path.ts';

/** Owner of the written files. `null`: the caller's own user. */
export type Owner = { uid: number; gid: number } | null;

const FILES_PER_TURN = 256;

/**
 * Writes the files of a change into a new, empty directory: a layer to lie over T0. There is nothing that a path could
 * be led astray by. Modes are 755 and 644. Deletions are not written: a layer's owner applies them (see {@link
 * deletionsBeside}).
 *
 * Throws `UNSAFE_PATH` on a path that leads out or into git data, on one that comes twice or lies below another file,
 * and on a directory that is not empty.
 */
export async function writeChange(
  change: ChangeSet,
  emptyDirectory: string,
  owner: Owner = sandboxOwner,
): Promise<void> {
  const parents = checkLayout(change);
  await assertEmptyDirectory(emptyDirectory);
  for (const parent of parents) await makeDirectory(join(emptyDirectory, parent), owner);
  for (const [index, file] of change.files.entries()) {
    if (index % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn();
    writeNewFile(join(emptyDirectory, file.path), file.content, file.executable, owner);
  }
  if (owner) await chown(emptyDirectory, owner.uid, owner.gid);
  await chmod(emptyDirectory, 0o755);
}

/**
 * The deletions of a change that its files do not bring about by themselves: not of a path above or below which a file
 * is written.
 */
export function deletionsBeside(change: ChangeSet): string[] {
  const written = new Set(change.files.map((file) => file.path));
  const parents = new Set(change.files.flatMap((file) => parentsOf(file.path)));
  return change.deleted.filter(
    (path) => !written.has(path) && !parents.has(path) && !parentsOf(path).some((parent) => written.has(parent)),
  );
}

/** Writes a file that must not exist yet, whatever the umask is. */
export function writeNewFile(path: string, content: Uint8Array, executable: boolean, owner: Owner): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    for (let written = 0; written < content.length;) written += writeSync(descriptor, content, written);
    if (owner) fchownSync(descriptor, owner.uid, owner.gid);
    fchmodSync(descriptor, executable ? 0o755 : 0o644);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes one directory that must not exist yet, whatever the umask is. */
export async function makeDirectory(path: string, owner: Owner): Promise<void> {
  await mkdir(path);
  if (owner) await chown(path, owner.uid, owner.gid);
  await chmod(path, 0o755);
}

/** Makes the directory when it is missing; throws `UNSAFE_PATH` unless it is a real, empty one. */
export async function assertEmptyDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const real = lstatSync(path).isDirectory();
  if (!real || (await readdir(path)).length > 0) {
    throw new AssayError('UNSAFE_PATH', { path, detail: real ? 'the directory is not empty' : 'it is no directory' });
  }
}

/** Lists the directories to make, parents first. */
function checkLayout(change: ChangeSet): string[] {
  const written = new Set<string>();
  const parents = new Set<string>();
  for (const { path } of change.files) {
    assertSafePath(path);
    if (written.has(path)) throw new AssayError('UNSAFE_PATH', { path, detail: 'it comes twice' });
    written.add(path);
    for (const parent of parentsOf(path)) parents.add(parent);
  }
  for (const path of change.deleted) assertSafePath(path);
  for (const parent of parents)
    if (written.has(parent))
      throw new AssayError('UNSAFE_PATH', { path: parent, detail: 'it is a file and a directory' });
  return [...parents].sort((a, b) => a.length - b.length);
}

function parentsOf(path: string): string[] {
  const parents: string[] = [];
  for (let parent = posix.dirname(path); parent !== '.' && parent !== '/'; parent = posix.dirname(parent))
    parents.push(parent);
  return parents;
}
