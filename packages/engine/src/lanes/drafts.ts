import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes a directory for half-written files and removes from it what killed processes left. */
export async function openDrafts(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await sweepDead(directory, /^(\d+)\./);
}

/** A path for a half-written file, which tells whose it is. */
export const newDraft = (directory: string): string => join(directory, `${process.pid}.${randomBytes(8).toString('hex')}`);

/** Removes the entries whose name holds, as the pattern's first group, the id of a process that lives no more. */
export async function sweepDead(directory: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = Number(pattern.exec(name)?.[1] ?? 0);
    // What another user left is for that user to remove.
    if (pid > 0 && !isAlive(pid)) await rm(join(directory, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
