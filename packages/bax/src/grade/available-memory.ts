import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where a kernel's answers stand, by version of the control groups. */
const FILES = {
  1: { limit: 'memory.limit_in_bytes', usage: 'memory.usage_in_bytes', reclaimable: 'total_inactive_file' },
  2: { limit: 'memory.max', usage: 'memory.current', reclaimable: 'inactive_file' },
} as const;

interface Group {
  version: 1 | 2;
  path: string;
  mountPoint: string;
}

/**
 * Bytes that can be taken now without swapping: what the kernel has (`MemAvailable`), and no more than is left to this
 * process's control groups and to those above, up to what is mounted here. Infinite where neither is told. `root`
 * stands before every path that is read.
 */
export function availableMemory(root = '/'): number {
  const kilobytes = /^MemAvailable:\s*(\d+) kB$/m.exec(read(join(root, 'proc/meminfo')))?.[1];
  const here = kilobytes === undefined ? Number.POSITIVE_INFINITY : Number(kilobytes) * 1024;
  return Math.min(here, ...ownGroups(root).map((group) => left(root, group)));
}

function left(root: string, { version, path, mountPoint }: Group): number {
  const { limit, usage, reclaimable } = FILES[version];
  const rooms = [path];
  while (rooms.at(-1) !== mountPoint && rooms.at(-1) !== '/') rooms.push(dirname(rooms.at(-1) ?? '/'));
  return Math.min(
    ...rooms.map((room) => {
      const [most, used] = [limit, usage].map((name) => Number.parseInt(read(join(root, room, name)), 10));
      // `max`, or no such file.
      if (most === undefined || used === undefined || Number.isNaN(most) || Number.isNaN(used))
        return Number.POSITIVE_INFINITY;
      const cache = new RegExp(`^${reclaimable} (\\d+)$`, 'm').exec(read(join(root, room, 'memory.stat')))?.[1] ?? '0';
      return Math.max(0, most - used + Number(cache));
    }),
  );
}

/** Directories of this process's groups, in every mounted hierarchy that may count memory. */
function ownGroups(root: string): Group[] {
  const memberships = read(join(root, 'proc/self/cgroup')).split('\n');
  return read(join(root, 'proc/self/mountinfo'))
    .split('\n')
    .flatMap((line) => {
      const [before = '', after = ''] = line.split(' - ');
      const [, , , mounted = '', mountPoint = ''] = before.split(' ');
      const [type, , options = ''] = after.split(' ');
      const version = type === 'cgroup2' ? 2 : type === 'cgroup' && options.split(',').includes('memory') ? 1 : null;
      if (version === null) return [];
      const member = memberships
        .map((text) => /^\d+:([^:]*):(.*)$/.exec(text))
        .find((match) => (version === 2 ? match?.[1] === '' : match?.[1]?.split(',').includes('memory')));
      return [{ version, path: placeOf(member?.[2] ?? '/', mounted, mountPoint), mountPoint } as const];
    });
}

/** A container may see only its own part of the hierarchy. */
function placeOf(path: string, mounted: string, mountPoint: string): string {
  if (mounted === '/') return join(mountPoint, path);
  return path === mounted || path.startsWith(`${mounted}/`) ? join(mountPoint, path.slice(mounted.length)) : mountPoint;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
