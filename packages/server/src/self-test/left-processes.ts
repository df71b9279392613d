import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a process that is told to end may take to be gone. */
const GRACE_MS = 5000;

/**
 * Ends what still runs with `marker` in the environment that it was started with, after giving it time to end by
 * itself. Returns the command lines of what had to be ended.
 */
export async function endLeftProcesses(marker: string): Promise<string[]> {
  const deadline = performance.now() + GRACE_MS;
  let pauseMs = 20;
  let left = await processesWith(marker);
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(pauseMs);
    pauseMs *= 2;
    left = await processesWith(marker);
  }
  return left.map(({ pid, commandLine }) => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
    return commandLine;
  });
}

async function processesWith(marker: string): Promise<{ pid: number; commandLine: string }[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    ids.map(async (id) => {
      // Those of other users cannot be read, and those that have just ended are gone.
      const read = (name: string): Promise<string> => readFile(`/proc/${id}/${name}`, 'latin1').catch(() => '');
      if (!(await read('environ')).includes(marker)) return [];
      const commandLine = (await read('cmdline')).replaceAll('\0', ' ').trim();
      return commandLine === '' ? [] : [{ pid: Number(id), commandLine }];
    }),
  );
  return found.flat();
}
