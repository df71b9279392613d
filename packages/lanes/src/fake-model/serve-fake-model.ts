import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { AssayError } from '@assay/protocol';
import type { FakeDialect, FakeModelRequest, FakeResponder } from './contract.ts';
import { FAKE_DIALECTS } from './dialects/index.ts';
import { countTokens } from './script-player.ts';
import { writeReply } from './write-reply.ts';

const MAX_BODY_BYTES = 256 << 20;
const KEY_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
]);

/** One request as the log keeps it: no keys. */
export interface FakeModelLogEntry {
  at: string;
  /** Null for what is no address of a dialect. */
  dialect: string | null;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  /** Label of the answer: `turn 3`, `side request`, `count`, `not found`. */
  answered: string;
}

export interface ServeOptions {
  respond: FakeResponder;
  /** Default: one that is free. */
  port?: number;
  /** Default `127.0.0.1`. */
  host?: string;
  /** Called once for each request, before it is answered. */
  onRequest?: (entry: FakeModelLogEntry) => void;
  /** Whether `requests` holds them all; a server that runs for days wants none. Default true. */
  remembers?: boolean;
}

export interface FakeModelEndpoints {
  /** For OpenAI's dialects: `http://127.0.0.1:PORT/v1` */
  openai: string;
  /** `http://127.0.0.1:PORT/anthropic`; the origin alone does as well. */
  anthropic: string;
  gemini: string;
}

export interface FakeModelService {
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** Base addresses for clients. */
  endpoints: FakeModelEndpoints;
  /** The questions so far, oldest first. */
  requests: FakeModelRequest[];
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

/**
 * A model as a real HTTP server that speaks every dialect of {@link FAKE_DIALECTS}. Throws `BAD_OPTION` when it cannot
 * listen there.
 */
export async function serveFakeModel(options: ServeOptions): Promise<FakeModelService> {
  const { host = '127.0.0.1', port = 0 } = options;
  const requests: FakeModelRequest[] = [];
  let count = 0;
  const add = (request: Omit<FakeModelRequest, 'index'>): FakeModelRequest => {
    const indexed = { ...request, index: count };
    count += 1;
    if (options.remembers ?? true) requests.push(indexed);
    return indexed;
  };
  const server = createServer((request, response) => {
    response.on('error', () => response.destroy());
    handle(request, response, options, add).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else response.writeHead(500).end(`the fake model failed: ${String(error)}`);
    });
  });
  // A client may stay silent for as long as the test wants.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null)
    throw new AssayError('IMPOSSIBLE', { detail: 'a server without an address' });
  const origin = `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    origin,
    endpoints: { openai: `${origin}/v1`, anthropic: `${origin}/anthropic`, gemini: origin },
    requests,
    close,
  };
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): AssayError {
  if (error.code === 'EADDRINUSE')
    return new AssayError('BAD_OPTION', { option: '--port', detail: `${port} is in use at ${host}` }, { cause: error });
  if (error.code === 'EACCES')
    return new AssayError(
      'BAD_OPTION',
      { option: '--port', detail: `${port} is not for this user to listen at` },
      { cause: error },
    );
  return new AssayError(
    'BAD_OPTION',
    { option: '--host', detail: `cannot listen at ${host} (${error.code ?? error.message})` },
    { cause: error },
  );
}

async function handle(
  message: IncomingMessage,
  response: ServerResponse,
  { respond, onRequest }: ServeOptions,
  add: (request: Omit<FakeModelRequest, 'index'>) => FakeModelRequest,
): Promise<void> {
  const url = new URL(message.url ?? '/', 'http://fake');
  const text = await readBody(message);
  const body = parse(text);
  const { headers } = message;
  const method = message.method ?? '';
  const path = message.url ?? '/';
  const log = (dialect: string | null, answered: string): void =>
    onRequest?.({
      at: new Date().toISOString(),
      dialect,
      method,
      ...withoutKeys(headers, url),
      body: body === undefined ? text.toString('utf8') : body,
      answered,
    });
  const found = method === 'POST' ? findDialect(url.pathname) : null;
  if (found === null) {
    // Clients look whether somebody is there.
    const isProbe = method === 'HEAD';
    log(null, isProbe ? 'probe' : 'not found');
    response
      .writeHead(isProbe ? 200 : 404, { 'content-type': 'application/json' })
      .end(isProbe ? undefined : '{"error": {"message": "no such address"}}');
    return;
  }
  const { dialect, asks } = found;
  if (body === undefined || asks === 'count') {
    log(dialect.name, body === undefined ? 'no JSON' : 'count');
    response.writeHead(body === undefined ? 400 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(body === undefined ? dialect.error(400, 'the body is no JSON') : dialect.count(countTokens(body))),
    );
    return;
  }
  const request = add({
    ...dialect.read(body, url),
    dialect: dialect.name,
    method,
    path,
    headers,
    key: findKey(headers, url),
    body,
  });
  const reply = await respond(request);
  log(dialect.name, reply.label);
  await writeReply({ response, dialect, request, reply });
}

function findDialect(path: string): { dialect: FakeDialect; asks: 'ask' | 'count' } | null {
  for (const dialect of FAKE_DIALECTS) {
    const asks = dialect.match(path);
    if (asks !== null) return { dialect, asks };
  }
  return null;
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Undefined when it is no JSON. */
function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}

function findKey(headers: IncomingHttpHeaders, url: URL): string | null {
  const found =
    headers['x-api-key'] ??
    headers['x-goog-api-key'] ??
    headers['api-key'] ??
    headers.authorization?.replace(/^Bearer /i, '');
  return (Array.isArray(found) ? found[0] : found) ?? url.searchParams.get('key');
}

function withoutKeys(given: IncomingHttpHeaders, url: URL): { path: string; headers: IncomingHttpHeaders } {
  const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !KEY_HEADERS.has(name)));
  const shown = new URL(url);
  if (shown.searchParams.has('key')) shown.searchParams.set('key', 'REMOVED');
  return { path: `${shown.pathname}${shown.search}`, headers };
}
