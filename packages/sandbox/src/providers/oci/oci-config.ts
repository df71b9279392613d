import type { Owner } from '../../owner.ts';
import { INSIDE_ID, type ResolvedOptions } from '../../resolve-options.ts';
import { TERMINALS } from '../../stage/stage.ts';
import { MASKED_PATHS } from '../masked-paths.ts';
import { ALL_CAPABILITIES } from '../all-capabilities.ts';
import type { Launch } from '../launch-inside.ts';

/** The parts of a configuration that come from the stage and the runtime. */
export interface OciSetting {
  /** The tree that becomes `/`, as the runtime sees it. */
  root: string;
  /** The directory that becomes /dev/shm. */
  sharedMemory: string;
  /** Absolute, below the mount point of each hierarchy. Absent when the runtime shall not touch control groups. */
  cgroup?: string;
  /** Directories of the root that the runtime would cover with something of its own if they were not mounted. */
  keep: string[];
  /** The user of the sandbox, as the host knows them. */
  owner: Owner;
  /**
   * A user namespace of its own: one that is there, by its path, or a `new` one. Without one the user inside has the id
   * of `owner`, not 1000.
   */
  userNamespace: { path: string } | 'new' | null;
  seccomp: object | null;
  /** Enforced by the runtime's own kernel, where the control group counts something else. */
  processLimit?: number;
}

/** Parts of /proc that tell about the host or change it. */
const TELLING_PATHS = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/kcore',
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
    mounts: mountsOf(setting),
    linux: {
      cgroupsPath: setting.cgroup,
      namespaces: ['pid', 'ipc', 'uts', 'mount', ...(options.shareNetwork ? [] : ['network'])]
        .map((type): object => ({ type }))
        .concat(userNamespaces(setting)),
      ...userNamespaceOf(options, setting),
      maskedPaths: [...TELLING_PATHS, ...MASKED_PATHS],
      readonlyPaths: READONLY_PATHS,
      seccomp: privileged ? undefined : (setting.seccomp ?? undefined),
    },
  };
}

function mountsOf(setting: OciSetting): object[] {
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'] },
    {
      destination: '/dev/pts',
      type: 'devpts',
      source: 'devpts',
      options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', `max=${TERMINALS}`],
    },
    { destination: '/dev/shm', type: 'bind', source: setting.sharedMemory, options: ['bind', 'rw', 'nosuid', 'nodev'] },
    ...setting.keep.map((path) => ({
      destination: path,
      type: 'bind',
      source: setting.root + path,
      options: ['bind', 'rw', 'nosuid', 'nodev'],
    })),
  ];
}

function userInside(
  { unsealed, asRoot }: ResolvedOptions,
  { userNamespace, owner }: OciSetting,
): { uid: number; gid: number } {
  if (unsealed.has('privileges') || (asRoot && userNamespace !== null)) return { uid: 0, gid: 0 };
  return userNamespace === null ? { uid: owner.uid, gid: owner.gid } : { uid: INSIDE_ID, gid: INSIDE_ID };
}

interface IdMapping {
  containerID: number;
  hostID: number;
  size: number;
}

/** Maps the user that commands run as to the sandbox's user outside. Root must be mapped to something, too. */
export function idMappings({ unsealed, asRoot }: ResolvedOptions, id: number): IdMapping[] {
  if (unsealed.has('privileges') || asRoot) return [{ containerID: 0, hostID: id, size: 1 }];
  return [
    { containerID: 0, hostID: id - 1, size: 1 },
    { containerID: INSIDE_ID, hostID: id, size: 1 },
  ];
}

function userNamespaces({ userNamespace }: OciSetting): object[] {
  if (userNamespace === null) return [];
  return [{ type: 'user', ...(userNamespace === 'new' ? {} : userNamespace) }];
}

function userNamespaceOf(options: ResolvedOptions, { userNamespace, owner }: OciSetting): object {
  if (userNamespace === null) return {};
  return { uidMappings: idMappings(options, owner.uid), gidMappings: idMappings(options, owner.gid) };
}
