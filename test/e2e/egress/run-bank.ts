import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelLane } from '@assay/lanes/model-lane/contract';
import { openModelLane } from '@assay/lanes/model-lane/model-lane';
import { answerChat, KEY, ScriptedUpstream } from '../../../packages/lanes/src/model-lane/testing/scripted-upstream.ts';
import { openPackageLane, type PackageLane } from '@assay/lanes/package-lane/package-lane';
import { FixtureUpstream, pythonWithPip } from '../../../packages/lanes/src/package-lane/testing/lane-fixture.ts';
import { makeWheel, sha256 } from '../../../packages/lanes/src/package-lane/testing/python-files.ts';
import {
  chooseProvider,
  type Lane,
  type Mount,
  type Sandbox,
  type SandboxOptions,
  type SandboxProvider,
} from '@assay/sandbox';
import { startNaiveProxy } from './naive-proxy.ts';
import type { LaneForms, Place, Probe, Row } from './row.ts';
import { NEIGHBOUR_PORT, NEIGHBOUR_SOCKET, ROWS } from './threat-rows.ts';
import { HOST_SOCKET, World } from './world.ts';

export const CLIENT = readFileSync(join(import.meta.dirname, 'client.mjs'), 'utf8');
export const PORTS = { model: 7001, packages: 7002 };
const REDIRECTS = [301, 302, 303, 307, 308];
const DIALECTS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;

/** Ends with a letter, so that none is the begin of another. */
export const tagOf = ({ id }: Pick<Row, 'id'>): string => `tag-${id.toLowerCase()}z`;
export type Keyed = (Probe & { key: string }) | { kind: 'raw'; key: string; port: number; say: string };
/** Result of each probe, by its key: row, way, number. */
export type Results = Record<string, string>;

export interface BankRun {
  /** With every seal on, and without the seals `network`, `privileges` and `host-files`. */
  sealed: Results;
  open: Results;
  /**
   * Messages that reached a listener of the test, by row: from the sealed sandbox, from the open one, and through the
   * naive proxy.
   */
  arrived: Record<'sealed' | 'open' | 'naive', ReadonlyMap<string, string[]>>;
  /** Everything that reached a listener while all seals were on. */
  leaked: string[];
  /** Messages to a listener in a sandbox beside the sealed one. They may only be its own. */
  neighbourHeard: string[];
  /** Host and body or path of every request that a service behind a lane saw. */
  upstream: string[];
  /** Answers of the lanes when their services redirected. */
  redirected: string[];
}

/**
 * Everything outside of the sandboxes of a test: listeners that nothing may reach, and the services behind the lanes.
 */
export class Outside {
  readonly world: World;
  readonly model: ScriptedUpstream;
  readonly packages: FixtureUpstream;
  readonly #redirecting: ScriptedUpstream;
  #tools: Mount[] = [];

  private constructor(world: World, model: ScriptedUpstream, packages: FixtureUpstream, redirecting: ScriptedUpstream) {
    this.world = world;
    this.model = model;
    this.packages = packages;
    this.#redirecting = redirecting;
  }

  static async open(): Promise<Outside> {
    const world = await World.open();
    const target = `http://127.0.0.1:${world.port}/${tagOf({ id: 'C14' })}`;
    const redirecting = await ScriptedUpstream.start(
      (_call, response, index) =>
        void response.writeHead(REDIRECTS[index % REDIRECTS.length] ?? 302, { location: target }).end(),
    );
    const outside = new Outside(
      world,
      await ScriptedUpstream.start(answerChat),
      await FixtureUpstream.start(),
      redirecting,
    );
    publish(outside.packages);
    outside.#tools = await clientsOfPackages(world);
    return outside;
  }

  async close(): Promise<void> {
    await Promise.all([this.model.stop(), this.#redirecting.stop(), this.packages.stop()]);
    await this.world.close();
  }

  get place(): Place {
    const { world } = this;
    return {
      world,
      port: world.port,
      gateway: world.addresses.find((address) => address !== '127.0.0.1' && address !== '::1') ?? '127.0.0.1',
    };
  }

  /** A service that only redirects, to a listener of the test. */
  get redirector(): string {
    return this.#redirecting.origin;
  }

  openModel(): Promise<ModelLane> {
    return openModelLane({
      upstream: { endpoint: this.model.origin, dialect: [...DIALECTS], apiKey: KEY },
      models: ['m-1'],
      record: () => {},
    });
  }

  /** An index as of 2020, without the target and its fork. */
  openPackages(name: string): Promise<PackageLane> {
    const cacheDirectory = join(this.world.directory, `cache-${name}`);
    return openPackageLane({
      kind: 'pypi',
      cutoff: new Date('2020-01-01T00:00:00Z'),
      exclude: ['target', 'target-fork'],
      origin: `http://127.0.0.1:${PORTS.packages}`,
      cacheDirectory,
      upstream: { url: this.packages.url, certificates: [] },
    });
  }

  async within<T>(
    provider: SandboxProvider,
    options: SandboxOptions,
    use: (sandbox: Sandbox) => Promise<T>,
  ): Promise<T> {
    const sandbox = await provider.create({ ...options, mounts: [...this.#tools, ...(options.mounts ?? [])] });
    try {
      return await use(sandbox);
    } finally {
      await sandbox.destroy();
    }
  }

  /** The whole bank, and its controls, with one provider. */
  async run(name: string): Promise<BankRun> {
    const { world } = this;
    const provider = await chooseProvider(name);
    const [lane, mirror] = [await this.openModel(), await this.openPackages(name)];
    const naive = await startNaiveProxy(join(world.directory, 'naive.sock'), world.port);
    const arrived = (): Map<string, string[]> => new Map(ROWS.map((row) => [row.id, world.of(tagOf(row))]));
    try {
      world.forget();
      const [calls, asked] = [this.model.calls.length, this.packages.requests.length];
      const { sealed, neighbourHeard } = await this.#runSealed(provider, lane, mirror);
      const redirected = await this.#runRedirecting(provider, mirror);
      const upstream = [
        ...this.model.calls.slice(calls).map(({ text, headers }) => `${headers.host} ${text}`),
        ...this.packages.requests.slice(asked).map(({ path, headers }) => `${headers.host} ${path}`),
      ];
      const leaked = [...world.hits, ...world.queries];
      const fromSealed = arrived();
      const hostSocket: Mount = { kind: 'read-only', source: world.path, target: HOST_SOCKET };
      const open = await this.within(
        provider,
        { unsealed: ['network', 'privileges', 'host-files'], mounts: [hostSocket] },
        (sandbox) => ask(sandbox, this.#direct()),
      );
      await sleep(200);
      const fromOpen = arrived();
      world.forget();
      const lanes = Object.values(PORTS).map((port): Lane => ({ port, socket: join(world.directory, 'naive.sock') }));
      await this.within(provider, { network: { kind: 'lanes', lanes } }, (sandbox) =>
        ask(sandbox, this.#throughLanes(lane.token)),
      );
      await sleep(200);
      return {
        sealed,
        open,
        arrived: { sealed: fromSealed, open: fromOpen, naive: arrived() },
        leaked,
        neighbourHeard,
        upstream,
        redirected,
      };
    } finally {
      await Promise.all([lane.close(), mirror.close(), naive.close()]);
    }
  }

  #direct(): Keyed[] {
    return ROWS.flatMap((row) =>
      (row.direct?.(tagOf(row), this.place) ?? []).map((probe, index): Keyed => ({
        ...probe,
        key: `${row.id}/direct/${index}`,
      })),
    );
  }

  #throughLanes(token: string): Keyed[] {
    return ROWS.flatMap((row) =>
      (['model', 'packages'] as const)
        .filter((kind) => row.only === undefined || row.only === kind)
        .flatMap((kind) =>
          (row.lane?.(formsOf(kind, token), tagOf(row), this.place) ?? []).map((say, index): Keyed => ({
            kind: 'raw',
            key: `${row.id}/${kind}/${index}`,
            port: PORTS[kind],
            say,
          })),
        ),
    );
  }

  /** Every probe, beside a neighbour that listens. */
  async #runSealed(
    provider: SandboxProvider,
    lane: ModelLane,
    mirror: PackageLane,
  ): Promise<{ sealed: Results; neighbourHeard: string[] }> {
    const lanes: Lane[] = [
      { port: PORTS.model, socket: lane.socket ?? '' },
      { port: PORTS.packages, socket: mirror.socket },
    ];
    return this.within(provider, {}, async (neighbour) => {
      const running = neighbour.exec('', {
        argv: ['/opt/node', '--input-type=module', '-e', NEIGHBOUR],
        timeout: 300_000,
      });
      while ((await neighbour.exec('test -e ready')).exitCode !== 0) await sleep(50);
      const sealed = await this.within(provider, { network: { kind: 'lanes', lanes } }, (sandbox) =>
        ask(sandbox, [...this.#direct(), ...this.#throughLanes(lane.token)]),
      );
      await neighbour.writeFile('stop', '');
      return { sealed, neighbourHeard: JSON.parse((await running).stdout) as string[] };
    });
  }

  /** A model that redirects ends its lane, so that each status has one. */
  async #runRedirecting(provider: SandboxProvider, mirror: PackageLane): Promise<string[]> {
    const open = (): Promise<ModelLane> =>
      openModelLane({
        upstream: { endpoint: this.#redirecting.origin, dialect: 'openai-chat', apiKey: KEY },
        models: ['m-1'],
        record: () => {},
      });
    const models = await Promise.all(REDIRECTS.map(open));
    const lanes = [
      { port: PORTS.packages, socket: mirror.socket },
      ...models.map(({ socket }, index): Lane => ({ port: 7010 + index, socket: socket ?? '' })),
    ];
    const probes = [
      ...models.map(({ token }, index): Keyed => ({
        kind: 'raw',
        key: `model ${index}`,
        port: 7010 + index,
        say: formsOf('model', token).good({ headers: 'Connection: close\r\n' }),
      })),
      ...REDIRECTS.map((status): Keyed => ({
        kind: 'raw',
        key: `packages ${status}`,
        port: PORTS.packages,
        say: `GET /simple/r${status}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      })),
    ];
    const results = await this.within(provider, { network: { kind: 'lanes', lanes } }, (sandbox) =>
      ask(sandbox, probes),
    );
    await Promise.all(models.map((lane) => lane.close()));
    return Object.values(results);
  }
}

/** Runs probes by the client, with {@link Outside.within}'s tools. */
export async function ask(sandbox: Sandbox, probes: readonly Keyed[]): Promise<Results> {
  const { stdout, stderr, exitCode } = await sandbox.exec('', {
    argv: ['/opt/node', '--input-type=module', '-e', CLIENT],
    stdin: JSON.stringify(probes),
    timeout: 300_000,
  });
  assert.equal(exitCode, 0, stderr);
  return JSON.parse(stdout) as Results;
}

export function formsOf(kind: 'model' | 'packages', token: string): LaneForms {
  if (kind === 'packages')
    return {
      kind,
      path: '/simple/demo/',
      headers: '',
      good: ({ host = 'lane', headers = '', say = '' } = {}) =>
        `GET /simple/demo/ HTTP/1.1\r\nHost: ${host}\r\nX-Say: ${say}\r\n${headers}\r\n`,
    };
  const headers = `Authorization: Bearer ${token}\r\nX-Api-Key: ${token}\r\nX-Goog-Api-Key: ${token}\r\nContent-Type: application/json\r\n`;
  const good: LaneForms['good'] = ({ host = 'lane', headers: more = '', say = '' } = {}) => {
    const body = JSON.stringify({ model: 'm-1', messages: [{ role: 'user', content: `say ${say}` }] });
    return `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\n${headers}${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  return { kind, path: '/v1/chat/completions', headers, good };
}

/**
 * Listens in a sandbox of its own and connects to itself, so that it is known to answer; ends when the file `stop` is
 * there.
 */
const NEIGHBOUR = `
import net from 'node:net';
import { existsSync, writeFileSync } from 'node:fs';
const said = [];
const places = [{ port: ${NEIGHBOUR_PORT}, host: '127.0.0.1' }, { path: ${JSON.stringify(NEIGHBOUR_SOCKET)} }];
const listen = (where) => new Promise((resolve) => net.createServer((socket) => socket.on('error', () => {}).on('data', (data) => said.push(String(data)))).listen(where, resolve));
await Promise.all(places.map(listen));
for (const where of places) net.connect(where).end('self');
while (said.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
writeFileSync('ready', '');
while (!existsSync('stop')) await new Promise((resolve) => setTimeout(resolve, 50));
console.log(JSON.stringify(said));
process.exit(0);
`;

/** T0 is 2020: demo 1.0 is of 2019 with a file of 2021; 2.0 and late are of 2021; 0.9 is without a time. */
function publish(packages: FixtureUpstream): void {
  const bytes = makeWheel('demo', '1.0');
  const file = (filename: string, time: string | null): object => {
    packages.routes.set(`/files/${filename}`, { body: bytes });
    return {
      filename,
      url: `/files/${filename}`,
      hashes: { sha256: sha256(bytes) },
      ...(time === null ? {} : { 'upload-time': time }),
    };
  };
  const page = (name: string, files: object[]): void => {
    packages.routes.set(`/${name}/`, {
      headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' },
      body: JSON.stringify({ meta: { 'api-version': '1.1' }, name, versions: [], files }),
    });
  };
  page('demo', [
    file('demo-1.0-py3-none-any.whl', '2019-01-01T00:00:00Z'),
    file('demo-1.0-cp311-cp311-linux_x86_64.whl', '2021-01-01T00:00:00Z'),
    file('demo-2.0-py3-none-any.whl', '2021-01-01T00:00:00Z'),
    file('demo-0.9-py3-none-any.whl', null),
  ]);
  page('late', [file('late-1.0-py3-none-any.whl', '2021-01-01T00:00:00Z')]);
  for (const name of ['target', 'target-fork'])
    page(name, [file(`${name.replace('-', '_')}-1.0-py3-none-any.whl`, '2019-01-01T00:00:00Z')]);
  for (const status of REDIRECTS) packages.routes.set(`/r${status}/`, { status, headers: { location: '/elsewhere/' } });
  packages.routes.set('/elsewhere/', { body: 'internal words' });
}

/** Node, pip and npm of this machine, and a resolver that would be asked if anything led there. */
async function clientsOfPackages({ directory }: World): Promise<Mount[]> {
  const pip = execFileSync(await pythonWithPip(), ['-c', 'import pip, os; print(os.path.dirname(pip.__file__))'], {
    encoding: 'utf8',
    cwd: '/',
  }).trim();
  const folders = [dirname(process.execPath), ...(process.env['PATH'] ?? '').split(':')];
  const npm = [...folders.map((path) => join(path, '../lib/node_modules/npm')), '/usr/share/nodejs/npm'].find((path) =>
    existsSync(join(path, 'bin/npm-cli.js')),
  );
  assert.ok(npm !== undefined, 'there is no npm on this machine');
  return [
    { kind: 'read-only', source: process.execPath, target: '/opt/node' },
    { kind: 'read-only', source: pip, target: '/opt/pip/pip' },
    { kind: 'read-only', source: npm, target: '/opt/npm' },
    ...['resolv.conf', 'nsswitch.conf'].map((name): Mount => ({
      kind: 'read-only',
      source: join(directory, name),
      target: `/etc/${name}`,
    })),
  ];
}
