import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a process of that id exists, be it another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Removes the entries whose name holds, as the pattern's first group, the id of a process that lives no more. */
export async function sweepDead(directory: string, pattern: RegExp): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = Number(pattern.exec(name)?.[1] ?? 0);
    // Entries of other users cannot be removed, and are left to them.
    if (pid > 0 && !isAlive(pid)) await rm(join(directory, name), { recursive: true, force: true }).catch(() => {});
  }
}
