import { posix } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Exposure, Lane, Mount, Network, SandboxOptions } from './contract.ts';

export type SandboxSeal = NonNullable<SandboxOptions['unsealed']>[number];

/** {@link SandboxOptions} checked, with every default filled in. */
export interface ResolvedOptions {
  timeoutMs: number;
  mounts: Mount[];
  env: Record<string, string>;
  cwd: string;
  /** The network of the host is open. */
  shareNetwork: boolean;
  lanes: Lane[];
  memoryBytes: number;
  pids: number;
  diskBytes: number;
  outputBytes: number;
  hostname: string;
  /** Commands run as id 0 of the sandbox's user namespace, and the root tree is theirs. */
  asRoot: boolean;
  /** A directory of the host in place of its system. */
  root: string | null;
  unsealed: ReadonlySet<SandboxSeal>;
}

/** User and group id inside, but for sandboxes whose commands run as root. */
export const INSIDE_ID = 1000;
export const HOME = '/home/user';
const ROOT_HOME = '/root';
export const WORKSPACE = '/workspace';

const MIB = 1024 * 1024;
/** MAX_ARG_STRLEN of the kernel. */
const LONGEST_ARGUMENT = 128 * 1024;
/** `sun_path` of the kernel, without the NUL at its end. */
const LONGEST_SOCKET_PATH = 107;
const SEALS: readonly SandboxSeal[] = ['network', 'host-files', 'privileges', 'limits'];
/**
 * How far limits are widened when their seal is off: still finite, so that a positive control cannot take the machine
 * down.
 */
const UNSEALED_LIMITS_FACTOR = 4;

const NEUTRAL_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  HOME,
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
};

/** Throws `BAD_OPTION` or `UNKNOWN_SEAL`. */
export function resolveOptions(options: SandboxOptions): ResolvedOptions {
  const unsealed = new Set(options.unsealed ?? []);
  for (const name of unsealed) {
    if (!SEALS.includes(name)) throw new AssayError('UNKNOWN_SEAL', { name, known: SEALS.join(', ') });
  }
  const factor = unsealed.has('limits') ? UNSEALED_LIMITS_FACTOR : 1;
  const { limits = {} } = options;
  return {
    timeoutMs: positive('timeout', options.timeout ?? 120_000),
    mounts: (options.mounts ?? []).map(checkMount),
    env: checkEnvironment({ ...NEUTRAL_ENVIRONMENT, HOME: options.user === 'root' ? ROOT_HOME : HOME, ...options.env }),
    cwd: insidePath('cwd', options.cwd ?? WORKSPACE),
    shareNetwork: unsealed.has('network'),
    lanes: checkLanes(options.network ?? { kind: 'none' }, unsealed),
    memoryBytes: factor * positive('limits.memoryBytes', limits.memoryBytes ?? 2048 * MIB),
    pids: factor * positive('limits.pids', limits.pids ?? 512),
    diskBytes: factor * positive('limits.diskBytes', limits.diskBytes ?? 1024 * MIB),
    outputBytes: factor * positive('limits.outputBytes', limits.outputBytes ?? 16 * MIB),
    hostname: checkHostname(options.hostname ?? 'sandbox'),
    asRoot: options.user === 'root',
    root: options.root === undefined ? null : checkRoot(options.root),
    unsealed,
  };
}

/** An absolute path inside, normalised. Relative ones start at `base`. */
export function insidePath(option: string, path: string, base = WORKSPACE): string {
  if (path === '' || path.includes('\0')) throw badOption(option, 'a path must not be empty or hold NUL');
  const resolved = posix.resolve(base, path);
  return resolved;
}

/** Throws `BAD_OPTION`. */
export function checkExposures(
  exposures: Exposure[],
  can: { provider: string; possible: boolean; shareNetwork: boolean },
): Exposure[] {
  if (exposures.length === 0) return exposures;
  if (!can.possible)
    throw badOption('expose', `the provider ${can.provider} cannot carry connections into the network of a command`);
  if (can.shareNetwork)
    throw badOption('expose', 'the seal `network` is off, so that the command has no network of its own');
  for (const { port, socket, patienceMs = 0 } of exposures) {
    if (!Number.isFinite(patienceMs) || patienceMs < 0) throw badOption('expose', `${patienceMs} is no time to wait`);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw badOption('expose', `${port} is no port`);
    if (!posix.isAbsolute(socket) || socket.includes('\0'))
      throw badOption('expose', `the socket ${socket} must be an absolute path`);
    if (Buffer.byteLength(socket) > LONGEST_SOCKET_PATH)
      throw badOption('expose', `the path of the socket is longer than ${LONGEST_SOCKET_PATH} bytes: ${socket}`);
  }
  return exposures;
}

/** Names and values that a process can be given. Throws `BAD_OPTION`. */
export function checkEnvironment(env: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(env)) {
    if (name === '' || name.includes('=') || name.includes('\0'))
      throw badOption('env', `the name ${JSON.stringify(name)} is not possible`);
    if (value.includes('\0')) throw badOption('env', `the value of ${name} holds NUL`);
    if (Buffer.byteLength(`${name}=${value}`) >= LONGEST_ARGUMENT)
      throw badOption('env', `${name} is longer than the kernel allows (128 KiB)`);
  }
  return env;
}

/** Throws `BAD_OPTION` for what the kernel would refuse. */
export function checkArguments(argv: string[]): string[] {
  if (argv.length === 0) throw badOption('argv', 'it is empty');
  for (const argument of argv) {
    if (argument.includes('\0')) throw badOption('argv', 'an argument holds NUL');
    if (Buffer.byteLength(argument) >= LONGEST_ARGUMENT)
      throw badOption('argv', 'an argument is longer than the kernel allows (128 KiB); give it as a file or on stdin');
  }
  return argv;
}

function checkMount(mount: Mount): Mount {
  const option = `mount at ${mount.target}`;
  if (!posix.isAbsolute(mount.target)) throw badOption(option, 'the target must be absolute');
  const target = insidePath(option, mount.target);
  if (target === '/' || /^\/(proc|dev|sys)(\/|$)/.test(target)) throw badOption(option, 'nothing can be mounted there');
  const sources = mount.kind === 'layers' ? mount.sources : mount.kind === 'hidden' ? [] : [mount.source];
  for (const source of sources) {
    if (!posix.isAbsolute(source) || source.includes('\0'))
      throw badOption(option, `the source ${source} must be an absolute path`);
  }
  for (const path of mount.kind === 'layers' ? (mount.deleted ?? []) : []) checkRelative(option, path);
  return { ...mount, target };
}

function checkRoot(path: string): string {
  if (!posix.isAbsolute(path) || path.includes('\0')) throw badOption('root', `${path} must be an absolute path`);
  const root = posix.resolve(path);
  if (root === '/') throw badOption('root', 'that is the whole host');
  return root;
}

function checkRelative(option: string, path: string): void {
  const parts = path.split('/');
  if (path.includes('\0') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw badOption(option, `the deleted path ${JSON.stringify(path)} must be relative and plain`);
  }
}

function checkLanes(network: Network, unsealed: ReadonlySet<SandboxSeal>): Lane[] {
  if (network.kind === 'host' && !unsealed.has('network')) {
    throw badOption('network', 'the network of the host is open only with the seal `network` off');
  }
  const lanes = network.kind === 'lanes' ? network.lanes : [];
  for (const { port, socket } of lanes) {
    if (!Number.isInteger(port) || port < 1024 || port > 65_535)
      throw badOption('network', `the lane port ${port} is not in 1024-65535`);
    if (!posix.isAbsolute(socket)) throw badOption('network', `the socket ${socket} must be an absolute path`);
  }
  if (new Set(lanes.map((lane) => lane.port)).size !== lanes.length)
    throw badOption('network', 'two lanes have the same port');
  return lanes;
}

function checkHostname(name: string): string {
  if (!/^[A-Za-z0-9]([A-Za-z0-9.-]{0,62})$/.test(name))
    throw badOption('hostname', `${JSON.stringify(name)} is no host name`);
  return name;
}

function positive(option: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw badOption(option, `${value} is not above 0`);
  return Math.floor(value);
}

function badOption(option: string, detail: string): AssayError {
  return new AssayError('BAD_OPTION', { option, detail });
}
