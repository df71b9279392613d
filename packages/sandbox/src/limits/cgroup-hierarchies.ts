import { readFileSync } from 'node:fs';

/** A mounted cgroup tree and the controllers that can be used through it. */
export interface Hierarchy {
  version: 1 | 2;
  /** Where it is mounted, such as `/sys/fs/cgroup` or `/sys/fs/cgroup/memory`. */
  mountPoint: string;
  controllers: string[];
}

/** The hierarchies that matter for limits: those with `memory` or `pids`, and the unified one (for `cgroup.kill`). */
export function cgroupHierarchies(mountInfo: string = readFileSync('/proc/self/mountinfo', 'utf8')): Hierarchy[] {
  const hierarchies: Hierarchy[] = [];
  for (const line of mountInfo.split('\n')) {
    const [left = '', right = ''] = line.split(' - ');
    const mountPoint = unescapeOctal(left.split(' ')[4] ?? '');
    const [type, , options = ''] = right.split(' ');
    if (type === 'cgroup2') {
      hierarchies.push({ version: 2, mountPoint, controllers: unifiedControllers(mountPoint) });
    } else if (type === 'cgroup') {
      const controllers = options.split(',').filter((name) => name === 'memory' || name === 'pids');
      if (controllers.length > 0) hierarchies.push({ version: 1, mountPoint, controllers });
    }
  }
  return hierarchies;
}

function unifiedControllers(mountPoint: string): string[] {
  try {
    return readFileSync(`${mountPoint}/cgroup.controllers`, 'utf8').trim().split(' ').filter((name) => name === 'memory' || name === 'pids');
  } catch {
    return [];
  }
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
