import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { AssayError } from '@assay/protocol';
import { sweepDead } from '@assay/files/sweep-dead';
import { Exchange } from './exchange.ts';
import { newEntry } from './new-entry.ts';
import type { LaneState } from './lane-state.ts';
import { shown } from './rules.ts';

const MAX_HEADER = 16 * 1024;
const HEADER_MS = 10_000;
const REQUEST_MS = 120_000;
/** Longer than clients keep a connection, so that none is closed while one uses it. */
const KEEP_ALIVE_MS = 600_000;

/**
 * The HTTP server of a model lane, on a new Unix socket or on loopback. It is no proxy: what is asked of it is a path,
 * the host is not read.
 */
export class LaneListener {
  readonly socket: string | null;
  readonly #directory: string | null;
  readonly #server: http.Server;
  readonly #state: LaneState;
  readonly #busy = new WeakSet<Socket>();
  readonly #running = new Set<Promise<void>>();

  private constructor(state: LaneState, directory: string | null) {
    this.#state = state;
    this.#directory = directory;
    this.socket = directory === null ? null : join(directory, 'lane.sock');
    this.#server = http.createServer({
      maxHeaderSize: MAX_HEADER,
      headersTimeout: HEADER_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      insecureHTTPParser: false,
    });
    this.#server.maxConnections = state.settings.policy.concurrency * 2;
    this.#server.on('request', (request, response) => this.#handle(request, response));
    this.#server.on('checkContinue', (request, response) => this.#handle(request, response));
    this.#server.on('connect', (request, socket) => this.#refuseTunnel(request, socket));
    this.#server.on('upgrade', (request, socket) => this.#refuseTunnel(request, socket));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#refuseMalformed(error, socket));
  }

  /** Throws `BAD_OPTION` when the port is taken. */
  static async listen(state: LaneState, where: 'socket' | { port: number }): Promise<LaneListener> {
    if (where === 'socket') await sweepDead(tmpdir(), /^assay-lane-(\d+)-/);
    const listener = new LaneListener(
      state,
      where === 'socket' ? await mkdtemp(join(tmpdir(), `assay-lane-${process.pid}-`)) : null,
    );
    const server = listener.#server;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        if (where === 'socket') server.listen(listener.socket ?? '', resolve);
        else server.listen(where.port, '127.0.0.1', resolve);
      });
    } catch (error) {
      await listener.close();
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (where !== 'socket' && (code === 'EADDRINUSE' || code === 'EACCES'))
        throw new AssayError('BAD_OPTION', {
          option: '--port',
          detail: `127.0.0.1:${where.port} cannot be listened on (${code})`,
        });
      throw error;
    }
    return listener;
  }

  get address(): { host: string; port: number } | null {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? { host: address.address, port: address.port } : null;
  }

  /** Resolves once every request is recorded. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await Promise.all(this.#running);
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  #handle(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { socket } = request;
    // Its errors are seen as the end of the connection.
    response.on('error', () => {});
    if (this.#busy.has(socket)) {
      this.#record(request, 'a second request before the answer to the first');
      socket.destroy();
      return;
    }
    if (request.method === 'HEAD' && request.url === '/') {
      response.writeHead(200).end();
      return;
    }
    this.#busy.add(socket);
    response.once('close', () => this.#busy.delete(socket));
    const run = new Exchange(this.#state, request, response).run();
    this.#running.add(run);
    void run.then(() => this.#running.delete(run));
  }

  #refuseTunnel(request: http.IncomingMessage, socket: Duplex): void {
    this.#record(request, 'a tunnel');
    end(socket, '404 Not Found', 'lane: this is no proxy\n');
  }

  #refuseMalformed({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
    if (code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    this.#record(null, `no request (${code})`);
    end(socket, '400 Bad Request', 'lane: this is no request\n');
  }

  #record(request: http.IncomingMessage | null, detail: string): void {
    const path = this.#state.guard.masked(shown(request?.url ?? ''));
    this.#state.budget.spent.refused += 1;
    this.#state.record(
      { ...newEntry(this.#state.nextSequence(), shown(request?.method ?? ''), path), detail },
      { idle: true },
    );
  }
}

function end(socket: Duplex, status: string, text: string): void {
  socket.on('error', () => {});
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n` +
      `Connection: close\r\n\r\n${text}`,
    () => socket.destroy(),
  );
}
