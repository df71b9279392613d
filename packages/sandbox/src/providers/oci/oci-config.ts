import { sandboxOwner } from '../../owner.ts';
import { INSIDE_ID, type ResolvedOptions } from '../../resolve-options.ts';
import { ALL_CAPABILITIES } from '../all-capabilities.ts';
import type { Launch } from '../launch-inside.ts';

/** What the stage and the runtime bring to a configuration. */
export interface OciSetting {
  /** What becomes `/`, as the runtime sees it. */
  root: string;
  /** What becomes /dev/shm. */
  sharedMemory: string;
  /** Absolute, below the mount point of each hierarchy. Absent when the runtime shall not touch control groups. */
  cgroup?: string;
  /** Directories of the root that the runtime would cover with something of its own if they were not mounted. */
  keep: string[];
  /** Without one the user inside has the id that owns the files, not 1000. */
  userNamespace: boolean;
  seccomp: object | null;
  /** Enforced by the runtime's own kernel, where the control group counts something else. */
  processLimit?: number;
}

/** Parts of /proc that tell about the host or change it. */
const MASKED_PATHS = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
];
const READONLY_PATHS = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** The `config.json` of an OCI bundle that runs one command in a stage. */
export function ociConfig(launch: Launch, options: ResolvedOptions, setting: OciSetting): object {
  const privileged = options.unsealed.has('privileges');
  const capabilities = privileged ? ALL_CAPABILITIES : [];
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: userInside(options, setting),
      args: launch.argv,
      env: Object.entries(launch.env).map(([name, value]) => `${name}=${value}`),
      cwd: launch.cwd,
      noNewPrivileges: !privileged,
      capabilities: {
        bounding: capabilities,
        effective: capabilities,
        permitted: capabilities,
        inheritable: capabilities,
        ambient: [],
      },
      rlimits:
        setting.processLimit === undefined
          ? []
          : [{ type: 'RLIMIT_NPROC', hard: setting.processLimit, soft: setting.processLimit }],
    },
    root: { path: setting.root, readonly: false },
    hostname: options.hostname,
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'],
      },
      {
        destination: '/dev/pts',
        type: 'devpts',
        source: 'devpts',
        options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'],
      },
      {
        destination: '/dev/shm',
        type: 'bind',
        source: setting.sharedMemory,
        options: ['bind', 'rw', 'nosuid', 'nodev'],
      },
      ...setting.keep.map((path) => ({
        destination: path,
        type: 'bind',
        source: setting.root + path,
        options: ['bind', 'rw', 'nosuid', 'nodev'],
      })),
    ],
    linux: {
      ...(setting.cgroup === undefined ? {} : { cgroupsPath: setting.cgroup }),
      namespaces: [
        'pid',
        'ipc',
        'uts',
        'mount',
        ...(options.shareNetwork ? [] : ['network']),
        ...(setting.userNamespace ? ['user'] : []),
      ].map((type) => ({ type })),
      ...(setting.userNamespace ? identityMappings(privileged || options.asRoot) : {}),
      maskedPaths: MASKED_PATHS,
      readonlyPaths: READONLY_PATHS,
      ...(setting.seccomp === null || privileged ? {} : { seccomp: setting.seccomp }),
    },
  };
}

function userInside(
  { unsealed, asRoot }: ResolvedOptions,
  { userNamespace }: OciSetting,
): { uid: number; gid: number } {
  if (unsealed.has('privileges') || (asRoot && userNamespace)) return { uid: 0, gid: 0 };
  return userNamespace ? { uid: INSIDE_ID, gid: INSIDE_ID } : owner();
}

function owner(): { uid: number; gid: number } {
  return sandboxOwner ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Whoever commands run as is the unprivileged owner outside. Root must be mapped to something. */
function identityMappings(asRoot: boolean): object {
  const map = (id: number): object[] =>
    asRoot
      ? [{ containerID: 0, hostID: id, size: 1 }]
      : [
          { containerID: 0, hostID: id - 1, size: 1 },
          { containerID: INSIDE_ID, hostID: id, size: 1 },
        ];
  return { uidMappings: map(owner().uid), gidMappings: map(owner().gid) };
}
