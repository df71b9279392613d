import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns whether a process of that id exists, even another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Removes entries named after dead processes. The pattern's first group is the process id. */
export async function sweepDead(directory: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = Number(pattern.exec(name)?.[1] ?? 0);
    // Entries of other users cannot be removed, and are left to them.
    if (pid > 0 && !isAlive(pid)) await rm(join(directory, name), { recursive: true, force: true }).catch(() => {});
  }
}
