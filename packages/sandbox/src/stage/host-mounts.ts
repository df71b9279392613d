import { readFileSync, realpathSync, statSync } from 'node:fs';

/** A mount point of the host. */
export interface HostMount {
  mountPoint: string;
  type: string;
  /** Options of the mount point, such as `ro`, `nosuid`, `nodev`. */
  options: string[];
}

/** Reads /proc/self/mountinfo, where later mounts come last. */
export function hostMounts(mountInfo: string = readFileSync('/proc/self/mountinfo', 'utf8')): HostMount[] {
  return mountInfo
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [left = '', right = ''] = line.split(' - ');
      const fields = left.split(' ');
      return {
        mountPoint: (fields[4] ?? '').replace(/\\([0-7]{3})/g, (_, digits: string) =>
          String.fromCharCode(Number.parseInt(digits, 8)),
        ),
        type: right.split(' ')[0] ?? '',
        options: (fields[5] ?? '').split(','),
      };
    });
}

const PSEUDO_FILE_SYSTEMS = new RegExp(
  `^(${[
    'proc|sysfs|dev.*|cgroup2?|securityfs|debugfs|tracefs|pstore|bpf|mqueue|hugetlbfs|configfs|fusectl|autofs',
    'binfmt_misc|nsfs|rpc_pipefs|efivarfs|overlay',
  ].join('|')})$`,
);

/**
 * Returns where file systems with real files are mounted, outermost first. Several mounts in one place count once.
 */
export function hostFileSystems(): string[] {
  const real = hostMounts().filter(
    ({ mountPoint, type }) =>
      mountPoint === '/' ||
      !(
        PSEUDO_FILE_SYSTEMS.test(type) || ['/proc', '/sys', '/dev'].some((directory) => isWithin(mountPoint, directory))
      ),
  );
  return [...new Set(real.map(({ mountPoint }) => mountPoint))]
    .filter(isVisible)
    .toSorted((a, b) => a.length - b.length);
}

/** Whether a path lies on a file system that keeps files, and can be a layer of an overlay. */
export function hasOrdinaryFiles(path: string, mounts: HostMount[]): boolean {
  const type = holdingMount(path, mounts)?.type ?? '';
  return type === 'overlay' || !PSEUDO_FILE_SYSTEMS.test(type);
}

/** The last of equals: what was mounted later lies over what was mounted before. */
function holdingMount(path: string, mounts: HostMount[]): HostMount | undefined {
  return mounts
    .filter(({ mountPoint }) => isWithin(path, mountPoint))
    .toSorted((a, b) => a.mountPoint.length - b.mountPoint.length)
    .at(-1);
}

/** Flags that a user namespace may not take off a mount that it inherited. */
const LOCKED_FLAGS = ['ro', 'nosuid', 'nodev', 'noexec', 'noatime', 'nodiratime', 'relatime'];

function isVisible(path: string): boolean {
  try {
    return statSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** A mount that a user namespace may repeat elsewhere, and the flags that it has to keep then. */
export interface LockedMount {
  path: string;
  flags: string[];
}

/**
 * The mount that holds `source`, as if it began there, and those below it: a user namespace can bind a directory only
 * together with everything that is mounted in it. Outermost first.
 */
export function lockedMounts(source: string, mounts: HostMount[]): LockedMount[] {
  const path = realpathSync(source);
  const holding = holdingMount(path, mounts);
  const below = mounts.filter(
    ({ mountPoint }) => mountPoint !== path && isWithin(mountPoint, path) && isVisible(mountPoint),
  );
  return [
    { path, flags: lockedFlags(holding) },
    ...below
      .toSorted((a, b) => a.mountPoint.length - b.mountPoint.length)
      .map((mount) => ({ path: mount.mountPoint, flags: lockedFlags(mount) })),
  ];
}

function lockedFlags(mount: HostMount | undefined): string[] {
  return (mount?.options ?? []).filter((flag) => LOCKED_FLAGS.includes(flag));
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || directory === '/' || path.startsWith(`${directory}/`);
}
