import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AssayError } from '@assay/protocol';
import { sweepDead } from '@assay/files/sweep-dead';
import type { LaneRecord } from './contract.ts';
import { textAnswer, unknownPath, type LaneAnswer, type LaneIndex } from './lane-answer.ts';

const MAX_RECORDS = 20_000;
const MAX_PATH = 2048;
/** Longer than clients keep a connection, so that none is closed while one uses it. */
const KEEP_ALIVE_MS = 600_000;
/** Limit on a request body, which is read and discarded. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface LaneServerOptions {
  index: LaneIndex;
  /** Whether a request may post; its body is never looked at. */
  mayPost: (segments: string[]) => boolean;
  /** Number of requests to answer. Later ones get 429. */
  requests: number;
  onRecord?: (record: LaneRecord) => void;
}

/**
 * An HTTP server on a new Unix socket, or on loopback, that only answers what the index knows. It forwards nothing; the
 * request's host is read on loopback only, where a web page could otherwise ask under a name of its own that leads
 * there.
 */
export class LaneServer {
  readonly records: LaneRecord[] = [];
  /** Empty on loopback. */
  readonly socket: string;
  readonly #directory: string | null;
  readonly #options: LaneServerOptions;
  readonly #server: http.Server;
  #count = 0;

  private constructor(directory: string | null, options: LaneServerOptions) {
    this.#directory = directory;
    this.socket = directory === null ? '' : join(directory, 'lane.sock');
    this.#options = options;
    this.#server = http.createServer({
      maxHeaderSize: 16 * 1024,
      headersTimeout: 30_000,
      requestTimeout: 120_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
    this.#server.maxConnections = 256;
    this.#server.on('request', (request, response) => void this.#handle(request, response));
    this.#server.on('checkContinue', (request, response) => void this.#handle(request, response));
    this.#server.on('connect', (request, socket) => this.#refuseTunnel(request, socket));
    this.#server.on('upgrade', (request, socket) => this.#refuseTunnel(request, socket));
  }

  /** Throws `BAD_OPTION` when the port is taken; 0 is one that is free. */
  static async listen(options: LaneServerOptions, where: 'socket' | { port: number } = 'socket'): Promise<LaneServer> {
    if (where === 'socket') await sweepDead(tmpdir(), /^assay-lane-(\d+)-/);
    const directory = where === 'socket' ? await mkdtemp(join(tmpdir(), `assay-lane-${process.pid}-`)) : null;
    const lane = new LaneServer(directory, options);
    try {
      await new Promise<void>((resolve, reject) => {
        lane.#server.once('error', reject);
        if (where === 'socket') lane.#server.listen(lane.socket, resolve);
        else lane.#server.listen(where.port, '127.0.0.1', resolve);
      });
      return lane;
    } catch (error) {
      await lane.close();
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (where === 'socket' || !['EADDRINUSE', 'EACCES', 'ERR_SOCKET_BAD_PORT'].includes(code)) throw error;
      throw new AssayError('BAD_OPTION', {
        option: '--port',
        detail: `127.0.0.1:${where.port} cannot be listened on (${code})`,
      });
    }
  }

  /** Such as `http://127.0.0.1:7001`; null on a Unix socket. */
  get origin(): string | null {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : null;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const answer = await this.#answer(request).catch(failureAnswer);
    const bytes = await send(request, response, answer).catch(() => 0);
    this.#record(request, answer, bytes);
  }

  async #answer(request: http.IncomingMessage): Promise<LaneAnswer> {
    this.#count += 1;
    if (this.#count > this.#options.requests) return textAnswer(429, 'too many requests', 'too many requests');
    if (this.#directory === null && !/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(request.headers.host ?? ''))
      return textAnswer(403, 'ask for 127.0.0.1', 'foreign host');
    const segments = splitPath(request.url ?? '');
    if (typeof segments === 'string') return textAnswer(403, segments, 'refused path');
    const method = request.method ?? '';
    if (method === 'POST' && this.#options.mayPost(segments)) {
      if (!(await drained(request))) return textAnswer(413, 'the request is too large', 'large body');
    } else if (method !== 'GET' && method !== 'HEAD') {
      return textAnswer(403, `${method} is not possible here: this lane only reads packages`, 'refused method');
    }
    return segments.length === 0
      ? unknownPath()
      : await this.#options.index.answer({ method, segments, headers: request.headers });
  }

  #refuseTunnel(request: http.IncomingMessage, socket: NodeJS.WritableStream): void {
    const text = 'this lane is no proxy\n';
    socket.on('error', () => {});
    socket.end(
      `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${text.length}\r\n` +
        `Connection: close\r\n\r\n${text}`,
    );
    this.#record(request, textAnswer(403, text, 'refused tunnel'), text.length);
  }

  #record(request: http.IncomingMessage, answer: LaneAnswer, bytes: number): void {
    const { status, note } = answer;
    const record = { method: request.method ?? '', path: (request.url ?? '').slice(0, MAX_PATH), status, bytes, note };
    if (this.records.length < MAX_RECORDS) this.records.push(record);
    this.#options.onRecord?.(record);
  }
}

/** Returns the decoded components of a request's target, or why it is refused. */
export function splitPath(target: string): string[] | string {
  if (!target.startsWith('/') || target.startsWith('//')) return 'this lane is no proxy: ask for a path';
  if (target.length > MAX_PATH) return 'the path is too long';
  if (/[?#\\]/.test(target)) return 'this lane takes no query';
  const segments: string[] = [];
  for (const part of target.slice(1).replace(/\/$/, '').split('/')) {
    const decoded = tryDecode(part);
    // A scoped name of npm is the one thing whose slash is sent encoded.
    const scoped = decoded === null ? null : /^(@[^/]+)\/([^/]+)$/.exec(decoded);
    for (const segment of scoped ? [scoped[1] ?? '', scoped[2] ?? ''] : [decoded]) {
      if (segment === null || !/^[\w@~.+!()'*-]+$/.test(segment) || segment === '.' || segment === '..') {
        return target === '/' ? [] : 'the path is not one of an index';
      }
      segments.push(segment);
    }
  }
  return segments;
}

function tryDecode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function failureAnswer(error: unknown): LaneAnswer {
  if (!AssayError.is(error))
    return textAnswer(502, 'the lane failed', `unexpected: ${error instanceof Error ? error.message : 'unknown'}`);
  const status = error.details['status'] === 504 ? 504 : 502;
  const detail = String(error.details['detail'] ?? error.code);
  return textAnswer(status, `the package lane failed: ${detail}`, detail);
}

async function drained(request: http.IncomingMessage): Promise<boolean> {
  let size = 0;
  for await (const chunk of request) {
    size += Buffer.isBuffer(chunk) ? chunk.length : 0;
    if (size > MAX_BODY_BYTES) return false;
  }
  return true;
}

/** Sends the answer and resolves to the size of its body. */
async function send(request: http.IncomingMessage, response: http.ServerResponse, answer: LaneAnswer): Promise<number> {
  const { body } = answer;
  const file = typeof body === 'object' && !Buffer.isBuffer(body) ? body : null;
  const bytes = file ? null : Buffer.from(typeof body === 'string' ? body : Buffer.isBuffer(body) ? body : '');
  const size = file?.size ?? bytes?.length ?? 0;
  // An unread body would be taken for the next request.
  const close = request.complete ? {} : { connection: 'close' };
  response.writeHead(answer.status, {
    'content-type': answer.type,
    'content-length': size,
    'accept-ranges': 'none',
    vary: 'accept',
    'x-content-type-options': 'nosniff',
    ...close,
  });
  if (request.method === 'HEAD') response.end();
  else if (file) await pipeline(createReadStream(file.path), response);
  else await new Promise<void>((resolve) => response.end(bytes, resolve));
  return request.method === 'HEAD' ? 0 : size;
}
