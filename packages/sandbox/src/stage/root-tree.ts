import {
  chmodSync,
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Owner } from '../owner.ts';
import { HOME, INSIDE_ID, WORKSPACE } from '../resolve-options.ts';

/** Directories of every sandbox. */
const DIRECTORIES: ReadonlyArray<{ path: string; mode: number; own?: true }> = [
  { path: 'usr', mode: 0o755 },
  { path: 'etc', mode: 0o755 },
  { path: 'proc', mode: 0o555 },
  { path: 'dev', mode: 0o755 },
  { path: 'dev/shm', mode: 0o755 },
  { path: 'sys', mode: 0o555 },
  { path: 'run', mode: 0o755 },
  { path: 'opt', mode: 0o755 },
  { path: 'root', mode: 0o700 },
  { path: 'home', mode: 0o755 },
  { path: 'var', mode: 0o755 },
  { path: 'var/lib', mode: 0o755 },
  { path: 'var/cache', mode: 0o755 },
  { path: 'tmp', mode: 0o1777 },
  { path: 'var/tmp', mode: 0o1777 },
  { path: HOME.slice(1), mode: 0o755, own: true },
  { path: WORKSPACE.slice(1), mode: 0o755, own: true },
];

/** Nobody's inside: what is there decides how every program starts, ours too. */
const SYSTEM_DIRECTORIES: ReadonlySet<string> = new Set(['usr', 'etc', 'proc', 'sys', 'dev']);

/** Where the user inside may write. */
export const USER_DIRECTORIES: readonly string[] = DIRECTORIES.filter(({ mode, own }) => own || mode === 0o1777).map(
  ({ path }) => `/${path}`,
);

/** Links and directories of the host's `/` that are part of its toolchain. */
const TOOLCHAIN_NAMES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/**
 * Files of the host's /etc that programs need and that tell nothing about the host. Everything else there stays out.
 */
const PLAIN_ETC_FILES = [
  'ld.so.cache',
  'ld.so.conf',
  'localtime',
  'mime.types',
  'services',
  'protocols',
  'os-release',
  'debian_version',
  'ssl/openssl.cnf',
];

/** Directories of the host's /etc that are mounted read-only when they exist. */
export const ETC_DIRECTORIES: readonly string[] = [
  '/etc/alternatives',
  '/etc/ssl/certs',
  '/etc/pki/tls/certs',
  '/etc/ca-certificates',
];

export interface RootTreeOptions {
  hostname: string;
  shareNetwork: boolean;
  asRoot: boolean;
  /** The user inside, as the host knows them. `null` when rootless. */
  owner: Owner | null;
}

/**
 * Makes the empty tree of a sandbox below `root`, with an /etc of its own. Returns the toolchain directories to be
 * mounted.
 */
export function makeRootTree(root: string, options: RootTreeOptions): string[] {
  makeDirectories(root, options);
  makeEtc(join(root, 'etc'), options);
  for (const name of [...PLAIN_ETC_FILES, ...linkerConfigurations()]) copyFromHost(name, join(root, 'etc'));
  return ['/usr', ...linkToolchain(root)];
}

/**
 * Gives a tree that already holds a system what {@link makeRootTree} gives an empty one. Throws `BAD_OPTION` for a link
 * in the place of a directory.
 */
export function completeRootTree(root: string, options: RootTreeOptions): void {
  makeDirectories(root, options);
  makeEtc(join(root, 'etc'), options);
}

function makeDirectories(root: string, { asRoot, owner }: RootTreeOptions): void {
  // Sticky: whoever runs inside may add to it, and not put another /etc in place of ours.
  if (asRoot) chmodSync(root, 0o1777);
  for (const { path, mode, own } of DIRECTORIES) {
    const directory = join(root, path);
    const entry = lstatSync(directory, { throwIfNoEntry: false });
    if (entry && !entry.isDirectory())
      throw new AssayError('BAD_OPTION', { option: 'root', detail: `/${path} is no directory in it` });
    if (!entry) mkdirSync(directory);
    if (!entry || USER_DIRECTORIES.includes(`/${path}`)) chmodSync(directory, mode);
    if (own || (asRoot && !SYSTEM_DIRECTORIES.has(path))) giveTo(owner, directory);
  }
  if (!lstatSync(join(root, 'var/run'), { throwIfNoEntry: false })) symlinkSync('/run', join(root, 'var/run'));
}

/** Hands a file or directory of the stage to the user inside, who is the caller where `owner` is null. */
export function giveTo(owner: Owner | null, path: string): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}

/** On hosts with a merged /usr these are links; elsewhere directories, which are mounted like /usr. */
function linkToolchain(root: string): string[] {
  const directories: string[] = [];
  for (const name of TOOLCHAIN_NAMES) {
    const host = `/${name}`;
    const entry = lstatSync(host, { throwIfNoEntry: false });
    if (entry?.isSymbolicLink()) symlinkSync(readlinkSync(host), join(root, name));
    if (!entry?.isDirectory()) continue;
    mkdirSync(join(root, name));
    directories.push(host);
  }
  return directories;
}

function makeEtc(etc: string, options: RootTreeOptions): void {
  const { hostname, shareNetwork, owner } = options;
  const files: Record<string, string> = {
    passwd: [
      'root:x:0:0:root:/root:/bin/sh\n',
      `user:x:${INSIDE_ID}:${INSIDE_ID}:user:${HOME}:/bin/sh\n`,
      'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n',
    ].join(''),
    group: `root:x:0:\nuser:x:${INSIDE_ID}:\nnogroup:x:65534:\n`,
    hosts: `127.0.0.1 localhost ${hostname}\n::1 localhost ip6-localhost\n`,
    hostname: `${hostname}\n`,
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\n',
    'resolv.conf': '',
    shells: '/bin/sh\n/bin/bash\n',
  };
  if (shareNetwork) {
    // gVisor with the network of the host knows no user namespace, so that the user has the owner's id.
    if (owner) files['passwd'] += `user:x:${owner.uid}:${owner.gid}:user:${HOME}:/bin/sh\n`;
    files['hosts'] = `${readHost('/etc/hosts')}\n${files['hosts']}`;
    files['resolv.conf'] = readHost('/etc/resolv.conf');
    files['nsswitch.conf'] = 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n';
  }
  for (const name of [...Object.keys(files), 'mtab']) rmSync(join(etc, name), { recursive: true, force: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(etc, name), content, { mode: 0o644, flag: 'wx' });
  symlinkSync('/proc/self/mounts', join(etc, 'mtab'));
}

function copyFromHost(name: string, etc: string): void {
  const source = join('/etc', name);
  const target = join(etc, name);
  const entry = lstatSync(source, { throwIfNoEntry: false });
  if (!entry) return;
  mkdirSync(dirname(target), { recursive: true });
  if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
  else if (entry.isFile()) copyFileSync(source, target);
}

function linkerConfigurations(): string[] {
  try {
    return readdirSync('/etc/ld.so.conf.d').map((name) => join('ld.so.conf.d', name));
  } catch {
    return [];
  }
}

function readHost(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
