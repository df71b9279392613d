import { readFileSync } from 'node:fs';

/** A mounted cgroup tree and which of the controllers `memory` and `pids` can be used through it. */
export interface Hierarchy {
  version: 1 | 2;
  /** Where it is mounted, such as `/sys/fs/cgroup` or `/sys/fs/cgroup/memory`. */
  mountPoint: string;
  controllers: string[];
}

/** Every mounted hierarchy. */
export function cgroupHierarchies(mountInfo: string = readFileSync('/proc/self/mountinfo', 'utf8')): Hierarchy[] {
  const hierarchies: Hierarchy[] = [];
  for (const line of mountInfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const mountPoint = unescapeOctal(left.split(' ')[4] ?? '');
    const [type, , options = ''] = right.split(' ');
    if (type === 'cgroup2') {
      hierarchies.push({ version: 2, mountPoint, controllers: unifiedControllers(mountPoint) });
    } else if (type === 'cgroup') {
      hierarchies.push({ version: 1, mountPoint, controllers: options.split(',').filter(isLimiting) });
    }
  }
  return hierarchies;
}

function unifiedControllers(mountPoint: string): string[] {
  try {
    return readFileSync(`${mountPoint}/cgroup.controllers`, 'utf8').trim().split(' ').filter(isLimiting);
  } catch {
    return [];
  }
}

function isLimiting(controller: string): boolean {
  return controller === 'memory' || controller === 'pids';
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
