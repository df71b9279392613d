import { secretVariables } from '@assay/judging/exposed-secrets';
import { linesOf, statusField, wordsOf, type Facts } from './facts.ts';

export interface Expectation {
  /** Ports of lanes, which listen on 127.0.0.1. */
  lanePorts: readonly number[];
  /** gVisor: what its own kernel offers is not the host's. */
  ownKernel: boolean;
  /** Variables of this process. */
  environment: Readonly<Record<string, string | undefined>>;
  /** /proc/version of the host. */
  hostKernel: string;
  /** Whether a path is part of the system tree that the sandbox has in place of the host's. */
  inOwnTree(path: string): boolean;
}

/** One thing that must hold in a sandbox with the seal on. */
export interface SealCheck {
  name: string;
  seal: 'network' | 'host-files' | 'privileges' | 'clean-env';
  /** Says what is wrong; null when the seal holds. */
  find(facts: Facts, expectation: Expectation): string | null;
}

/** ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT: what the kernel says at once where no route leads. */
const NO_ROUTE = ['101', '113', '99', '97'];
const REFUSED_CALL = ['1', '38'];
const [UNIX, INET, INET6, NETLINK] = ['1', '2', '10', '16'];
const RAW = '3';
const LISTENING = '0A';
const CAPABILITY_SETS = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
const PROXY_VARIABLE = /^(https?|ftp|all|no|socks)_proxy$/i;
const HOST_SERVICE_VARIABLE =
  /^(SSH_AUTH_SOCK|DOCKER_HOST|CONTAINER_HOST|DBUS_SESSION_BUS_ADDRESS|KUBECONFIG|KUBERNETES_SERVICE_HOST|DISPLAY|WAYLAND_DISPLAY)$/;
const SHORTEST_SECRET = 8;
const DEVICES = new Set(
  'console core fd full fuse mqueue net null ptmx pts random shm stderr stdin stdout tty urandom zero'.split(' '),
);
const LANE_SOCKET = /^\/run\/lanes\/(\d+)$/;

export const SEAL_CHECKS: readonly SealCheck[] = [
  { name: 'interfaces', seal: 'network', find: findInterfaces },
  { name: 'routes', seal: 'network', find: findRoutes },
  { name: 'connections', seal: 'network', find: (facts) => findAnswers(facts, 'connection') },
  { name: 'datagrams', seal: 'network', find: (facts) => findAnswers(facts, 'datagram') },
  { name: 'names', seal: 'network', find: findNames },
  { name: 'listeners', seal: 'network', find: findListeners },
  { name: 'abstract-sockets', seal: 'network', find: findAbstractSockets },
  { name: 'socket-files', seal: 'host-files', find: findSocketFiles },
  {
    name: 'host-files',
    seal: 'host-files',
    find: (facts, { inOwnTree }) =>
      list(
        'there is',
        wordsOf(facts, 'host-file').filter((path) => !inOwnTree(path)),
      ),
  },
  { name: 'system-files', seal: 'privileges', find: (facts) => list('writable is', wordsOf(facts, 'writable')) },
  { name: 'capabilities', seal: 'privileges', find: findCapabilities },
  { name: 'system-calls', seal: 'privileges', find: findSystemCalls },
  { name: 'socket-families', seal: 'privileges', find: findFamilies },
  { name: 'processes', seal: 'privileges', find: findProcesses },
  {
    name: 'devices',
    seal: 'privileges',
    find: (facts) =>
      list(
        'there is',
        wordsOf(facts, 'device').filter((name) => !DEVICES.has(name)),
      ),
  },
  { name: 'environment', seal: 'clean-env', find: findVariables },
];

function findInterfaces(facts: Facts): string | null {
  const names = linesOf(facts, '/proc/net/dev', 2)?.map((line) => line.trim().split(':')[0] ?? '');
  return names === undefined
    ? 'no list of interfaces'
    : list(
        'there is',
        names.filter((name) => name !== 'lo'),
      );
}

/** IPv6 may be missing altogether, IPv4 not. */
function findRoutes(facts: Facts): string | null {
  const routes = linesOf(facts, '/proc/net/route', 1);
  if (routes === null) return 'no list of routes';
  const devices = [
    ...routes.map((line) => line.split(' ')[0] ?? ''),
    ...(linesOf(facts, '/proc/net/ipv6_route') ?? []).map((line) => line.split(' ').at(-1) ?? ''),
  ];
  return list(
    'through',
    devices.filter((device) => device !== 'lo' && device !== ''),
  );
}

function findAnswers(facts: Facts, kind: 'connection' | 'datagram'): string | null {
  const attempts = facts.get(kind) ?? [];
  if (attempts.length === 0) return 'nothing was tried';
  return list(
    'a way to',
    attempts
      .filter(([, , error = '']) => !NO_ROUTE.includes(error))
      .map(([address, port, error]) => `${address} port ${port} (${error === '0' ? 'open' : `error ${error}`})`),
  );
}

function findNames(facts: Facts): string | null {
  const servers = (linesOf(facts, '/etc/resolv.conf') ?? []).filter((line) => /^\s*nameserver\b/.test(line));
  if (!facts.has('name')) return 'to resolve one did not come to an end';
  return (
    list(
      'resolved:',
      wordsOf(facts, 'name').filter((name) => name !== ''),
    ) ??
    list('an answer from the resolver', wordsOf(facts, 'resolver')) ??
    list('a resolver is set:', servers)
  );
}

function findListeners(facts: Facts, { lanePorts }: Expectation): string | null {
  const lanes = lanePorts.map((port) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const rows = (name: string): string[][] =>
    (linesOf(facts, `/proc/net/${name}`, 1) ?? []).map((line) => line.trim().split(' '));
  const listening = [...rows('tcp'), ...rows('tcp6')]
    .filter(([, , , state]) => state === LISTENING)
    .map(([, local = '']) => local);
  const others = [
    ...['udp', 'udp6', 'raw', 'raw6'].flatMap((name) => rows(name).map(([, local = '']) => `${name} ${local}`)),
    ...listening.filter((local) => !lanes.includes(local)),
  ];
  return (
    list('listening on', others) ??
    list(
      'no lane listens on',
      lanes.filter((lane) => !listening.includes(lane)),
    )
  );
}

/** A socket that somebody bound to a name, other than one in the file system. */
function findAbstractSockets(facts: Facts): string | null {
  return list(
    'there is',
    (linesOf(facts, '/proc/net/unix', 1) ?? [])
      .map((line) => line.trim().split(' ')[7] ?? '')
      .filter((name) => name.startsWith('@')),
  );
}

function findSocketFiles(facts: Facts, { lanePorts }: Expectation): string | null {
  return list(
    'there is',
    [...new Set(wordsOf(facts, 'socket-file'))].filter(
      (path) => !lanePorts.includes(Number(LANE_SOCKET.exec(path)?.[1])),
    ),
  );
}

function findCapabilities(facts: Facts, { ownKernel }: Expectation): string | null {
  const ids = statusField(facts, 'Uid')?.split(' ') ?? ['none'];
  if (ids.some((id) => !/^[1-9]\d*$/.test(id))) return `the user is ${ids.join(' ')}`;
  // gVisor's kernel has no ambient set in older versions.
  const sets = CAPABILITY_SETS.map(
    (name) => [name, statusField(facts, name) ?? (ownKernel && name === 'CapAmb' ? '0' : 'unknown')] as const,
  );
  const noNewPrivileges = statusField(facts, 'NoNewPrivs') ?? (ownKernel ? '1' : 'unknown');
  return (
    list(
      'there is',
      sets.filter(([, value]) => !/^0+$/.test(value)).map(([name, value]) => `${name} ${value}`),
    ) ?? (noNewPrivileges === '1' ? null : `no-new-privileges is ${noNewPrivileges}`)
  );
}

/** A filter of system calls, or a kernel of its own. */
function findSystemCalls(facts: Facts, { ownKernel, hostKernel }: Expectation): string | null {
  if (ownKernel)
    return linesOf(facts, '/proc/version')?.join('') === hostKernel ? 'it is the kernel of the host' : null;
  const mode = statusField(facts, 'Seccomp') ?? 'unknown';
  if (mode !== '2') return `the mode of seccomp is ${mode}`;
  return list(
    'possible:',
    (facts.get('call') ?? []).filter(([, error = '']) => !REFUSED_CALL.includes(error)).map(([name = '']) => name),
  );
}

function findFamilies(facts: Facts, { ownKernel }: Expectation): string | null {
  const families = (facts.get('family') ?? []).filter(
    ([family, type]) =>
      !(family === UNIX || family === NETLINK || ((family === INET || family === INET6) && type !== RAW)),
  );
  return (
    list(
      'possible:',
      families.map((words) => `family ${words.join(' type ')}`),
    ) ?? (ownKernel ? null : list('possible: netlink', wordsOf(facts, 'netlink')))
  );
}

/** Only itself and what started it. */
function findProcesses(facts: Facts): string | null {
  const parents = new Map((facts.get('process') ?? []).map(([pid = '', parent = '']) => [pid, parent]));
  let [own] = wordsOf(facts, 'self');
  while (own !== undefined && own !== '0') {
    const parent = parents.get(own);
    if (parent === undefined) return `process ${own} is not listed`;
    parents.delete(own);
    own = parent;
  }
  return list('others run: process', [...parents.keys()]);
}

function findVariables(facts: Facts, { environment }: Expectation): string | null {
  const secrets = secretVariables(environment)
    .map((name) => environment[name] ?? '')
    .filter((value) => value.length >= SHORTEST_SECRET);
  const variables = (linesOf(facts, '/proc/self/environ') ?? []).map(
    (line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const,
  );
  if (variables.length === 0) return 'no environment';
  // The value is not repeated.
  return (
    list(
      'set:',
      variables.filter(([name]) => PROXY_VARIABLE.test(name) || HOST_SERVICE_VARIABLE.test(name)).map(([name]) => name),
    ) ??
    list(
      'a secret of the host is in',
      variables.filter(([, value]) => secrets.some((secret) => value.includes(secret))).map(([name]) => name),
    )
  );
}

function list(what: string, found: readonly string[]): string | null {
  return found.length === 0 ? null : `${what} ${found.slice(0, 5).join(', ')}${found.length > 5 ? ', …' : ''}`;
}
