import { INSIDE_ID, type ResolvedOptions } from '../../resolve-options.ts';
import { existsSync } from 'node:fs';
import { MASKED_PATHS } from '../masked-paths.ts';
import type { Launch } from '../launch-inside.ts';

export interface BubblewrapPaths {
  /** The tree that becomes `/`, as bubblewrap sees it. */
  root: string;
  /** The directory that becomes /dev/shm. */
  sharedMemory: string;
  /** The directory that becomes /dev/pts. */
  terminals: string;
  emptyFile: string;
}

export interface BubblewrapDescriptors {
  /** Process 1 is bubblewrap's. Else it is the command. */
  ownInit: boolean;
  status: number;
  /** Absent when the seal `privileges` is off. */
  seccomp?: number;
}

/** The options of bubblewrap, without the command itself. */
export function bubblewrapArguments(
  launch: Launch,
  options: ResolvedOptions,
  paths: BubblewrapPaths,
  descriptors: BubblewrapDescriptors,
): string[] {
  const privileged = options.unsealed.has('privileges');
  const id = String(privileged || options.asRoot ? 0 : INSIDE_ID);
  return [
    '--unshare-user',
    '--unshare-ipc',
    '--unshare-pid',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(options.shareNetwork ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--new-session',
    ...(descriptors.ownInit ? [] : ['--as-pid-1']),
    '--uid',
    id,
    '--gid',
    id,
    '--hostname',
    options.hostname,
    '--bind',
    paths.root,
    '/',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--bind',
    paths.sharedMemory,
    '/dev/shm',
    '--dev-bind',
    paths.terminals,
    '/dev/pts',
    // The device directory is a tmpfs of its own, on which the user could write past the disk limit.
    '--remount-ro',
    '/dev',
    ...MASKED_PATHS.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', paths.emptyFile, path]),
    ...(privileged ? ['--cap-add', 'ALL'] : ['--cap-drop', 'ALL']),
    ...(descriptors.seccomp === undefined ? [] : ['--seccomp', String(descriptors.seccomp)]),
    '--json-status-fd',
    String(descriptors.status),
    '--clearenv',
    ...Object.entries(launch.env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    launch.cwd,
  ];
}
