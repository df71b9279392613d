import type Docker from 'dockerode';
import { laneMounts, withLanes } from '../../lanes/lane-mounts.ts';
import { sandboxOwner } from '../../owner.ts';
import { HOME, WORKSPACE, type ResolvedOptions } from '../../resolve-options.ts';
import { ALL_CAPABILITIES } from '../all-capabilities.ts';
import { INIT } from '../launch-inside.ts';
import type { ExecRequest } from '../process-runner.ts';

type Settings = Docker.ContainerCreateOptions;
type Bind = Docker.MountSettings;

/** Settings shared by every container of one sandbox. */
export interface ContainerTraits {
  image: string;
  /** Directories that the image declares as volumes. Left alone, each would be writable without limit. */
  volumes: string[];
  runtime: string | undefined;
  labels: Record<string, string>;
  options: ResolvedOptions;
}

/**
 * Docker maps no users: whoever runs inside has the same id outside. As root that is an id that owns nothing else on
 * the machine.
 */
export const DOCKER_USER = sandboxOwner ?? { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };

/** Directories of the sandbox on the volume that all its containers share: name there, place inside, mode. */
export const SHARED_DIRECTORIES = [
  { name: 'workspace', target: WORKSPACE, mode: '755' },
  { name: 'home', target: HOME, mode: '755' },
  { name: 'tmp', target: '/tmp', mode: '1777' },
  { name: 'var-tmp', target: '/var/tmp', mode: '1777' },
  { name: 'shm', target: '/dev/shm', mode: '1777' },
] as const;

/** Where the holder sees the volume. */
export const VOLUME = '/assay-volume';

const PROCESSES_OF_INIT = 1;
/** A core limit of 1 is the kernel's sign to give no crash dump to the host's crash reporter either. */
const NO_CORE = { Name: 'core', Soft: 1, Hard: 1 };

/** The first process changes into the directory, and is gone once the command runs. */
const CHANGE_DIRECTORY = 'cd -- "$0" || exit 125; exec "$@"';

/**
 * The container of one exec. `volume` is the volume's directory as the daemon sees it; `hidden` says what is under each
 * hidden mount.
 */
export function execSettings(
  traits: ContainerTraits,
  request: ExecRequest,
  place: { volume: string; hidden: Map<string, string>; stdin: boolean },
): Settings {
  const { options } = traits;
  const privileged = options.unsealed.has('privileges');
  const assignments = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  const command = withLanes(options.lanes, ['/usr/bin/env', '-i', ...assignments, ...request.argv]);
  const shared = SHARED_DIRECTORIES.map(({ name, target }): Bind => ({
    Type: 'bind',
    Source: `${place.volume}/${name}`,
    Target: target,
  }));
  const declared = traits.volumes.map((target, index): Bind => ({
    Type: 'bind',
    Source: `${place.volume}/volume-${index}`,
    Target: target,
  }));
  const users = ['passwd', 'group'].map((name): Bind => ({
    Type: 'bind',
    Source: `${place.volume}/${name}`,
    Target: `/etc/${name}`,
    ReadOnly: true,
  }));
  const hidden = [...place.hidden].map(([target, kind]): Bind => ({
    Type: 'bind',
    Source: `${place.volume}/empty-${kind}`,
    Target: target,
    ReadOnly: true,
  }));
  const settings = common(traits, [
    ...shared,
    ...declared.filter(({ Target }) => !shared.some((bind) => bind.Target === Target)),
    ...users.filter(({ Target }) => !place.hidden.has(Target)),
    ...hostBinds(options),
    ...hidden,
  ]);
  return {
    ...settings,
    User: privileged ? '0:0' : `${DOCKER_USER.uid}:${DOCKER_USER.gid}`,
    Entrypoint: ['/bin/sh', '-c', INIT, 'sh', '/bin/sh', '-c', CHANGE_DIRECTORY, request.cwd, ...command],
    WorkingDir: '/',
    OpenStdin: place.stdin,
    StdinOnce: place.stdin,
    AttachStdin: place.stdin,
    HostConfig: {
      ...settings.HostConfig,
      ...limitProcesses(options.pids, traits.runtime),
      ...(privileged ? { CapAdd: ALL_CAPABILITIES, SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'] } : {}),
    },
  };
}

/** The container that keeps the volume of a sandbox mounted, and ends when its standard input does. */
export function holderSettings(traits: ContainerTraits, script: string[]): Settings {
  const { options, labels } = traits;
  const inodes = Math.max(16_384, Math.ceil(options.diskBytes / 4096));
  const volume: Bind = {
    Type: 'volume',
    Source: '',
    Target: VOLUME,
    VolumeOptions: {
      NoCopy: true,
      Labels: labels,
      DriverConfig: {
        Name: 'local',
        Options: {
          type: 'tmpfs',
          device: 'tmpfs',
          o: `size=${options.diskBytes},nr_inodes=${inodes},mode=755,nosuid,nodev`,
        },
      },
    },
  };
  const settings = common(traits, [volume, ...hostBinds(options)]);
  return {
    ...settings,
    User: '0:0',
    Entrypoint: ['/bin/sh', '-c', ...script],
    WorkingDir: '/',
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    HostConfig: { ...settings.HostConfig, AutoRemove: true, CapAdd: ['CHOWN'] },
  };
}

function common({ image, runtime, labels, options }: ContainerTraits, mounts: Bind[]): Settings {
  return {
    Image: image,
    Labels: labels,
    Hostname: options.hostname,
    Cmd: [],
    Healthcheck: { Test: ['NONE'] },
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    HostConfig: {
      Mounts: mounts,
      NetworkMode: options.shareNetwork ? 'host' : 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Memory: options.memoryBytes,
      // Together with swap: none.
      MemorySwap: options.memoryBytes,
      Ulimits: [NO_CORE],
      // A command's output is read here; kept by the daemon it would fill its disk.
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no' },
      Runtime: runtime,
    },
  };
}

/** gVisor's kernel counts processes itself; outside, each is up to a score of threads. */
function limitProcesses(pids: number, runtime: string | undefined): Pick<Docker.HostConfig, 'PidsLimit' | 'Ulimits'> {
  if (runtime !== 'runsc') return { PidsLimit: pids + PROCESSES_OF_INIT };
  return { PidsLimit: pids * 32 + 512, Ulimits: [NO_CORE, { Name: 'nproc', Soft: pids, Hard: pids }] };
}

function hostBinds(options: ResolvedOptions): Bind[] {
  const binds = [...options.mounts, ...laneMounts(options.lanes)].flatMap((mount): Bind[] => {
    if (mount.kind !== 'read-only' && mount.kind !== 'writable') return [];
    return [{ Type: 'bind', Source: mount.source, Target: mount.target, ReadOnly: mount.kind === 'read-only' }];
  });
  if (!options.unsealed.has('host-files')) return binds;
  // The daemon refuses any other propagation for what its own directory lies in.
  return [
    { Type: 'bind', Source: '/', Target: '/host', ReadOnly: true, BindOptions: { Propagation: 'rslave' } },
    ...binds,
  ];
}
