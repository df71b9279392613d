import { readdirSync, readFileSync } from 'node:fs';

/** Counts the given processes that run in a pid namespace below this process's, without process 1 of each. */
export function countInside(pids: number[]): number {
  const ownDepth = namespacePids('self').length;
  return pids.filter((pid) => {
    const known = namespacePids(pid);
    return known.length > ownDepth && known.at(-1) !== '1';
  }).length;
}

/** A process and all that descend from it. */
export function processTree(pid: number): number[] {
  const found = [pid];
  // It grows while it is walked.
  for (const parent of found) found.push(...childrenOf(parent));
  return found;
}

/** Sums over processes, in bytes. What two of them share counts twice. */
export function residentMemory(pids: number[]): { memoryBytes: number; memoryUsageBytes: number } {
  const sum = { memoryBytes: 0, memoryUsageBytes: 0 };
  for (const pid of pids) {
    const status = read(`/proc/${pid}/status`);
    sum.memoryBytes += kibibytes(status, 'RssAnon') + kibibytes(status, 'RssShmem');
    sum.memoryUsageBytes += kibibytes(status, 'VmRSS');
  }
  return sum;
}

/** The process's id in every namespace from this one down. Empty when it is gone. */
function namespacePids(pid: number | 'self'): string[] {
  return /^NSpid:\s*(.+)$/m.exec(read(`/proc/${pid}/status`))?.[1]?.split(/\s+/) ?? [];
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      read(`/proc/${pid}/task/${task}/children`)
        .split(' ')
        .filter((child) => child !== '')
        .map(Number),
    );
  } catch {
    return [];
  }
}

function kibibytes(status: string, field: string): number {
  return 1024 * Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
