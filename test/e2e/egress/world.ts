import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import dgram from 'node:dgram';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where the test's own resolver listens; nothing else of a machine does, nor another test that runs beside this one.
 */
export const RESOLVER = `127.${1 + (process.pid % 250)}.${1 + ((process.pid >> 8) % 250)}.77`;

/** Listens in a network namespace of its own, on loopback and on an abstract socket, and prints what arrives. */
const OTHER_NAMESPACE = `
const net = require('node:net');
const listen = (where) => new Promise((resolve) => net.createServer((socket) => socket.on('error', () => {}).on('data', (data) => console.log('hit ' + JSON.stringify(data.toString('latin1'))))).listen(where, resolve));
Promise.all([listen({ port: 5301, host: '0.0.0.0' }), listen({ path: '\\0assay-egress-namespace' })]).then(() => console.log('ready'));
`;
/** The interface \`lo\` of a new namespace is down: SIOCSIFFLAGS with IFF_UP. */
const LOOPBACK_UP =
  'socket my $s, 2, 2, 0; my $up = pack "a16 s x22", "lo", 1; ioctl $s, 0x8914, $up or die $!; exec @ARGV';
/** Where a sandbox that has a socket of the host finds it. */
export const HOST_SOCKET = '/run/service.sock';
export const NAMESPACE_PORT = 5301;
export const NAMESPACE_SOCKET = '\0assay-egress-namespace';

/** Everything outside of a sandbox that a test owns, and what reached it. */
export class World {
  /** Everything that arrived, each with the name of its listener. */
  readonly hits: string[] = [];
  /** Names that the resolver was asked for. */
  readonly queries: string[] = [];
  readonly directory: string;
  readonly abstract = `\0assay-egress-${randomBytes(6).toString('hex')}`;
  #server: net.Server | null = null;
  #datagrams: dgram.Socket | null = null;
  #namespace: ChildProcess | null = null;
  readonly #closing: (() => unknown)[] = [];

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'assay-egress-')));
    await chmod(world.directory, 0o755);
    try {
      await world.#start();
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  async #start(): Promise<void> {
    this.#server = await this.#listen('host', { port: 0, host: '::' });
    await this.#listen('abstract', { path: this.abstract });
    await this.#listen('path', { path: this.path });
    await chmod(this.path, 0o777);
    this.#datagrams = await this.#listenForDatagrams();
    await this.#answerNames();
    await this.#openNamespace();
    await writeFile(join(this.directory, 'resolv.conf'), `nameserver ${RESOLVER}\noptions timeout:1 attempts:1\n`);
    await writeFile(join(this.directory, 'nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  }

  get port(): number {
    return portOf(this.#server?.address());
  }

  get datagramPort(): number {
    return portOf(this.#datagrams?.address());
  }

  /** A Unix socket in the file system of the host. */
  get path(): string {
    return join(this.directory, 'service.sock');
  }

  get namespacePid(): number {
    return this.#namespace?.pid ?? assert.fail('there is no other namespace');
  }

  /** Under which the host is reached, loopback first. */
  get addresses(): string[] {
    const all = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    return [
      ...new Set([
        '127.0.0.1',
        '::1',
        ...all
          .filter(({ address, internal }) => !internal && !address.startsWith('fe80'))
          .map(({ address }) => address),
      ]),
    ];
  }

  /** Messages to listeners and the resolver that contain this id. */
  of(id: string): string[] {
    return [...this.hits, ...this.queries.map((name) => `resolver: ${name}`)].filter((hit) => hit.includes(id));
  }

  forget(): void {
    this.hits.length = 0;
    this.queries.length = 0;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
    await rm(this.directory, { recursive: true, force: true });
  }

  async #listen(name: string, where: net.ListenOptions): Promise<net.Server> {
    const sockets = new Set<net.Socket>();
    const server = net.createServer((socket) => {
      sockets.add(socket);
      this.hits.push(`${name}: a connection`);
      socket
        .on('error', () => {})
        .on('close', () => sockets.delete(socket))
        .on('data', (data) => {
          this.hits.push(`${name}: ${data.toString('latin1')}`);
          if (/^(GET|HEAD|POST) /.test(data.toString('latin1')))
            socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
          else setTimeout(() => socket.end(), 300);
        });
    });
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(where, resolve));
    this.#closing.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return server;
  }

  async #listenForDatagrams(): Promise<dgram.Socket> {
    const socket = dgram
      .createSocket('udp6')
      .on('message', (data) => this.hits.push(`datagram: ${data.toString('latin1')}`));
    await new Promise<void>((resolve) => socket.bind(0, '::', resolve));
    this.#closing.push(() => socket.close());
    return socket;
  }

  /** Every name is 127.0.0.1, but for one that is the metadata service and one that changes. */
  async #answerNames(): Promise<void> {
    const socket = dgram.createSocket('udp4').on('message', (query, { port, address }) => {
      const { name, end } = readName(query);
      this.queries.push(name);
      const answer = name.startsWith('private')
        ? [169, 254, 169, 254]
        : name.startsWith('flip') && this.queries.length % 2 === 0
          ? [10, 0, 0, 1]
          : [127, 0, 0, 1];
      const isAddress = query.readUInt16BE(end) === 1;
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...answer]);
      const head = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0]);
      socket.send(
        Buffer.concat([head, query.subarray(12, end + 4), isAddress ? record : Buffer.alloc(0)]),
        port,
        address,
      );
    });
    await new Promise<void>((resolve, reject) => void socket.once('error', reject).bind(53, RESOLVER, resolve));
    this.#closing.push(() => socket.close());
  }

  async #openNamespace(): Promise<void> {
    const child = spawn(
      'unshare',
      ['--net', '--', 'perl', '-e', LOOPBACK_UP, process.execPath, '-e', OTHER_NAMESPACE],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#namespace = child;
    this.#closing.push(() => child.kill('SIGKILL'));
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the other namespace ended with ${code}`)));
      child.stdout.on('data', (data: Buffer) => {
        for (const line of data.toString('utf8').split('\n')) {
          if (line === 'ready') resolve();
          if (line.startsWith('hit ')) this.hits.push(`namespace: ${line.slice(4)}`);
        }
      });
    });
  }
}

function portOf(address: string | net.AddressInfo | null | undefined): number {
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** The name that a query asks for, and where its type stands. */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}
