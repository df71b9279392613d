import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, type CommandResult } from '@assay/sandbox';
import type { PackageLane, PackageLaneOptions } from '../contract.ts';
import { openPackageLane } from '../package-lane.ts';

export interface FixtureReply {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Sends nothing at all, or headers and part of the body and then nothing. */
  hang?: 'at-once' | 'in-body';
}
type Route = FixtureReply | ((request: http.IncomingMessage, attempt: number) => FixtureReply);

/** A package index on loopback that answers what a test tells it to; it stands for the machine's own upstream. */
export class FixtureUpstream {
  readonly routes = new Map<string, Route>();
  /** Every request: path and headers. */
  readonly requests: Array<{ path: string; headers: http.IncomingHttpHeaders }> = [];
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<FixtureUpstream> {
    const upstream = new FixtureUpstream();
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${portOf(this.#server)}/`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const path = request.url ?? '';
    this.requests.push({ path, headers: request.headers });
    const route = this.routes.get(path);
    const attempt = this.requests.filter((earlier) => earlier.path === path).length;
    const reply =
      typeof route === 'function' ? route(request, attempt) : (route ?? { status: 404, body: 'nothing here' });
    if (reply.hang === 'at-once') return;
    const body = Buffer.from(reply.body ?? '');
    response.writeHead(reply.status ?? 200, { 'content-length': body.length + (reply.hang ? 1 : 0), ...reply.headers });
    if (reply.hang) response.write(body);
    else response.end(body);
  }
}

/** One test's upstream, cache and the lanes opened on them; all gone after `stop`. */
export class LaneFixture {
  readonly upstream: FixtureUpstream;
  readonly directory: string;
  readonly #cleanups: Array<() => Promise<unknown>> = [];

  private constructor(upstream: FixtureUpstream, directory: string) {
    this.upstream = upstream;
    this.directory = directory;
  }

  static async start(): Promise<LaneFixture> {
    return new LaneFixture(await FixtureUpstream.start(), await mkdtemp(join(tmpdir(), 'assay-lane-test-')));
  }

  /**
   * A lane on the fixture's upstream, or on the machine's own, and the TCP origin under which a client reaches it, as a
   * sandbox's relay would give it.
   */
  async open(
    options: Partial<PackageLaneOptions> & Pick<PackageLaneOptions, 'kind'>,
    upstream: 'fixture' | 'machine' = 'fixture',
  ): Promise<{ lane: PackageLane; origin: string; port: number }> {
    const relay = await startRelay();
    this.#cleanups.push(relay.stop);
    const origin = `http://127.0.0.1:${relay.port}`;
    const lane = await openPackageLane({
      cutoff: new Date('2020-06-01T00:00:00Z'),
      exclude: [],
      origin,
      cacheDirectory: join(this.directory, 'cache'),
      ...(upstream === 'fixture' ? { upstream: { url: this.upstream.url, certificates: [] } } : {}),
      ...options,
    });
    this.#cleanups.push(() => lane.close());
    relay.target = lane.socket;
    return { lane, origin, port: relay.port };
  }

  async newDirectory(): Promise<string> {
    return await mkdtemp(join(this.directory, 'work-'));
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.reverse()) await cleanup();
    await this.upstream.stop();
    await rm(this.directory, { recursive: true, force: true });
  }
}

interface Relay {
  port: number;
  target: string;
  stop: () => Promise<void>;
}

async function startRelay(): Promise<Relay> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const lane = net.connect(relay.target);
    for (const [from, to] of [
      [client, lane],
      [lane, client],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => to.destroy())
        .on('close', () => sockets.delete(from))
        .pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const relay: Relay = { port: portOf(server), target: '', stop };
  return relay;
}

function portOf(server: net.Server): number {
  const address: AddressInfo | string | null = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** Sends bytes as they are and resolves to all that comes back before the connection ends. */
export function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket
      .on('data', (chunk) => (answer += chunk.toString('latin1')))
      .on('end', () => socket.end())
      .on('close', () => resolve(answer))
      .on('error', reject);
  });
}

/** Runs a package manager in `cwd` with nothing of this machine's configuration. */
export async function runClient(argv: string[], cwd: string, env: Record<string, string> = {}): Promise<CommandResult> {
  return await runCommand(argv, {
    cwd,
    timeoutMs: 180_000,
    env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: cwd, PIP_CONFIG_FILE: '/dev/null', ...env },
  });
}

let pip: Promise<string> | undefined;

/** A Python that has pip, by the path of its real executable: a version manager's shim needs the user's HOME. */
export function pythonWithPip(): Promise<string> {
  pip ??= (async () => {
    for (const python of ['python3', '/usr/bin/python3']) {
      const found = await runCommand([python, '-c', 'import pip, sys; print(sys.executable)'], { cwd: '/' }).catch(
        () => null,
      );
      if (found?.exitCode === 0) return found.stdout.toString().trim();
    }
    throw new Error('these tests need a python3 with pip');
  })();
  return pip;
}
