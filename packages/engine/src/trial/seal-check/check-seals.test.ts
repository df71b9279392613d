import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, type SealCheckRecord, type SealName } from '@assay/protocol';
import { chooseProvider, type Sandbox, type SandboxOptions, type SandboxProvider } from '@assay/sandbox';
import { SEAL_CHECKS } from './checks.ts';
import { checkSeals, type SealCheckOptions } from './check-seals.ts';

const PROVIDERS = ['bubblewrap', 'runc', 'runsc'] as const;
type ProviderName = (typeof PROVIDERS)[number];
const SECRET = randomBytes(16).toString('hex');
const ENVIRONMENT = { SOME_API_KEY: SECRET, SHORT_TOKEN: 'abc', PATH: '/usr/bin' };

let directory = '';
const servers: net.Server[] = [];
const abstractName = `\0assay-${randomBytes(8).toString('hex')}`;
const file = (name: string): string => join(directory, name);

async function listen(where: net.ListenOptions): Promise<void> {
  const server = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, resolve);
  });
  servers.push(server);
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-seal-check-'));
  await chmod(directory, 0o755);
  await writeFile(file('resolv.conf'), 'nameserver 192.0.2.53\n');
  await writeFile(file('hosts'), '192.0.2.80 example.com\n');
  await listen({ path: file('service.sock') });
  await listen({ path: file('lane.sock') });
  await listen({ path: abstractName });
  await listen({ port: 0, host: '127.0.0.1' });
});
after(async () => {
  for (const server of servers) server.close();
  await rm(directory, { recursive: true, force: true });
});

/** A sandbox whose commands all begin with something else. */
function preceded(sandbox: Sandbox, script: string): Sandbox {
  return {
    id: sandbox.id,
    writeFile: (...all) => sandbox.writeFile(...all),
    readFile: (path) => sandbox.readFile(path),
    destroy: () => sandbox.destroy(),
    exec: (command, options = {}) =>
      sandbox.exec(command, {
        ...options,
        argv: ['/bin/sh', '-c', `${script}\nexec "$@"`, 'sh', ...(options.argv ?? [])],
      }),
  };
}

interface Case {
  options?: SandboxOptions;
  before?: string;
  unsealed?: SealName[];
  lanePorts?: number[];
  waits?: boolean;
}

async function check(
  name: ProviderName,
  { options = {}, before: script, unsealed = [], lanePorts = [], waits = true }: Case = {},
): Promise<SealCheckRecord> {
  const provider: SandboxProvider = await chooseProvider(name);
  const sandbox = await provider.create(options);
  const settings: SealCheckOptions = {
    provider,
    unsealed: new Set(unsealed),
    lanePorts,
    environment: ENVIRONMENT,
    ...(waits ? { first: { timeoutMs: 120_000, cwd: '/workspace' } } : {}),
  };
  try {
    const { record, waiting } = await checkSeals(script === undefined ? sandbox : preceded(sandbox, script), settings);
    assert.equal(waiting !== null, waits);
    await waiting?.close();
    return record;
  } finally {
    await sandbox.destroy();
  }
}

const lane = (port: number): NonNullable<SandboxOptions['network']> => ({
  kind: 'lanes',
  lanes: [{ port, socket: file('lane.sock') }],
});

for (const name of PROVIDERS) {
  test(`${name}: a sandbox as it should be passes every check, with a lane and without`, async () => {
    for (const setting of [{}, { waits: false }, { options: { network: lane(7001) }, lanePorts: [7001] }]) {
      const { passed, skipped } = await check(name, setting);
      assert.deepEqual([passed, skipped], [SEAL_CHECKS.map((each) => each.name), []]);
    }
  });

  test(`${name}: of a seal that is off nothing is looked at, and the record says so`, async () => {
    for (const seal of ['network', 'host-files', 'privileges'] as const) {
      const { passed, skipped } = await check(name, { options: { unsealed: [seal] }, unsealed: [seal] });
      assert.deepEqual(
        skipped,
        SEAL_CHECKS.filter((each) => each.seal === seal).map((each) => each.name),
      );
      assert.equal(passed.length + skipped.length, SEAL_CHECKS.length);
    }
    const { skipped } = await check(name, {
      options: { env: { HTTP_PROXY: 'http://127.0.0.1:1' } },
      unsealed: ['clean-env'],
    });
    assert.deepEqual(skipped, ['environment']);
  });
}

/** One hole each, and what has to be said about it. */
const HOLES: Record<string, Case & { says: () => RegExp; providers?: readonly ProviderName[] }> = {
  'another interface': { options: { unsealed: ['network'] }, says: () => /interfaces: there is \w/ },
  'a route': { options: { unsealed: ['network'] }, says: () => /routes: through \w/ },
  'a way to other machines': {
    options: { unsealed: ['network'] },
    says: () => /connections: a way to .*(error 115|open)/,
  },
  'a way for datagrams': { options: { unsealed: ['network'] }, says: () => /datagrams: a way to .*port 53 \(open\)/ },
  'a listener on loopback': {
    options: { unsealed: ['network'] },
    says: () => /listeners: listening on /,
    providers: ['bubblewrap', 'runc'],
  },
  'an abstract socket of the host': {
    options: { unsealed: ['network'] },
    says: () => /abstract-sockets: there is @/,
    providers: ['bubblewrap', 'runc'],
  },
  'a lane that nobody asked for': {
    options: {
      get network() {
        return lane(7002);
      },
    },
    says: () => /listeners: listening on 0100007F:1B5A.*|socket-files: there is \/run\/lanes\/7002/,
  },
  'a lane that is missing': { lanePorts: [7003], says: () => /listeners: no lane listens on 0100007F:1B5B/ },
  'a resolver in its settings': {
    options: {
      get mounts() {
        return [{ kind: 'read-only' as const, source: file('resolv.conf'), target: '/etc/resolv.conf' }];
      },
    },
    says: () => /names: a resolver is set: nameserver 192\.0\.2\.53/,
  },
  'a name that resolves': {
    options: {
      get mounts() {
        return [{ kind: 'read-only' as const, source: file('hosts'), target: '/etc/hosts' }];
      },
    },
    says: () => /names: resolved: example\.com/,
  },
  'a socket of the host': {
    options: {
      get mounts() {
        return [{ kind: 'read-only' as const, source: file('service.sock'), target: '/run/docker.sock' }];
      },
    },
    says: () => /socket-files: there is \/run\/docker\.sock/,
  },
  'a directory of the host with a socket': {
    options: {
      get mounts() {
        return [{ kind: 'read-only' as const, source: directory, target: '/run/shared' }];
      },
    },
    says: () => /socket-files: there is [^;]*\/run\/shared\/service\.sock/,
  },
  'files of the host': { options: { unsealed: ['host-files'] }, says: () => /host-files: there is \/host/ },
  'a system directory that can be written': {
    options: { mounts: [{ kind: 'layers', sources: [], target: '/etc' }] },
    says: () => /system-files: writable is \/etc/,
  },
  capabilities: { options: { unsealed: ['privileges'] }, says: () => /capabilities: the user is 0/ },
  'no filter of system calls': {
    options: { unsealed: ['privileges'] },
    says: () => /system-calls: the mode of seccomp is 0/,
    providers: ['bubblewrap', 'runc'],
  },
  'raw sockets': {
    options: { unsealed: ['privileges', 'network'] },
    unsealed: ['network'],
    says: () => /socket-families: possible: /,
    providers: ['bubblewrap', 'runc'],
  },
  'a process beside it': { before: 'sleep 5 &', says: () => /processes: others run: process \d+/ },
  'a device': {
    options: { unsealed: ['privileges'] },
    before: 'mount -t tmpfs none /dev; : > /dev/null; : > /dev/kvm',
    says: () => /devices: there is kvm/,
    providers: ['bubblewrap'],
  },
  'a proxy in the environment': {
    options: { env: { https_proxy: 'http://127.0.0.1:1' } },
    says: () => /environment: set: https_proxy/,
  },
  'an agent of keys in the environment': {
    options: { env: { SSH_AUTH_SOCK: '/tmp/agent' } },
    says: () => /environment: set: SSH_AUTH_SOCK/,
  },
  'a secret of the host in the environment': {
    options: { env: { INNOCENT: `a ${SECRET}` } },
    says: () => /environment: a secret of the host is in INNOCENT$/,
  },
  'a hole, and no command that is waited for': {
    waits: false,
    options: { unsealed: ['network'] },
    says: () => /interfaces: there is \w/,
  },
  'a check that is cut short': { before: '"$@" | head -n 20; exit', says: () => /did not come to its end/ },
};

describe('a sandbox with one hole is refused, and the answer says which', () => {
  for (const [hole, { says, providers = PROVIDERS, ...setting }] of Object.entries(HOLES)) {
    for (const name of providers) {
      test(`${hole} (${name})`, async () => {
        await assert.rejects(check(name, setting), (error) => {
          assert.ok(
            AssayError.is(error) && error.code === 'SEAL_BROKEN' && error.kind === 'infrastructure',
            String(error),
          );
          assert.match(error.message, says());
          assert.ok(!error.message.includes(SECRET));
          return true;
        });
      });
    }
  }

  test('every check has such a hole', () => {
    const said = Object.values(HOLES).map(({ says }) => says().source);
    assert.deepEqual(
      SEAL_CHECKS.map(({ name }) => name).filter((name) => !said.some((source) => source.includes(`${name}:`))),
      [],
    );
  });
});
