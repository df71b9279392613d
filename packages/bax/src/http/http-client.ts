import { performance } from 'node:perf_hooks';

import { readBody } from './answer-body.ts';
import { readHead, type AnswerHead } from './answer-head.ts';
import { decodeContent } from './content-decoding.ts';
import { CookieJar } from './cookie-jar.ts';
import { HttpAnswer } from './http-answer.ts';
import { HttpFailure } from './http-failure.ts';
import { requestBody, type Payload, type RequestBody } from './request-body.ts';
import { firstHeaders, headBytes, redirectedHeaders, type HeaderList } from './request-head.ts';
import { followLocation, normalResource, type Destination, type Parameters } from './request-target.ts';
import { Wire, type Endpoint } from './wire.ts';

/** Where an application is, and the bounds of every request to it. */
export type HttpClientOptions = {
  readonly endpoint: Endpoint;
  /** Value of the `Host` header. Default `localhost:5000`. */
  readonly host?: string;
  /** Limit of a whole call with its redirects, in milliseconds. Default 300 000. */
  readonly totalMs?: number;
  /** Limit of the time without a byte in either direction, in milliseconds. Default: as `totalMs`. */
  readonly silenceMs?: number;
  /** Limit of an answer's body, before and after decoding. Default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Ends every request under way. */
  readonly signal?: AbortSignal;
};

export type HttpRequest = Payload & {
  readonly query?: Parameters;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cookies of an earlier answer. */
  readonly cookies?: CookieJar;
  /** Sends the path as it stands: dots stay, only illegal characters are escaped. */
  readonly rawPath?: boolean;
  /** In place of the client's bound, in milliseconds. */
  readonly totalMs?: number;
  /** Ends this request. */
  readonly signal?: AbortSignal;
};

type Send = (path: string, request?: HttpRequest) => Promise<HttpAnswer>;

/** Every call opens a connection of its own and rejects with `HttpFailure` alone. */
export type HttpClient = {
  readonly get: Send;
  readonly post: Send;
  readonly put: Send;
  readonly delete: Send;
  readonly request: (method: string, path: string, request?: HttpRequest) => Promise<HttpAnswer>;
};

type Bounds = {
  readonly endpoint: Endpoint;
  readonly silenceMs: number;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal;
};
type Outgoing = {
  readonly method: string;
  readonly to: Destination;
  readonly headers: HeaderList;
  readonly body: RequestBody | null;
};
type Incoming = { readonly head: AnswerHead; readonly body: Buffer };

const HEAD_BYTES = 8 * 1024 * 1024;
const REDIRECTS_AT_MOST = 30;
const REDIRECTING = new Set([301, 302, 303, 307, 308]);

/**
 * A client that speaks as python-requests 2.32 does, byte for byte: the same headers in the same order, the same
 * escapes, forms, cookies and redirects, and the same answers taken or refused. It speaks to one application and to
 * nobody else.
 */
export function openHttpClient(options: HttpClientOptions): HttpClient {
  const request: HttpClient['request'] = (method, path, asked = {}) => call(options, method.toUpperCase(), path, asked);
  const by =
    (method: string): Send =>
    (path, asked) =>
      request(method, path, asked);
  return { get: by('GET'), post: by('POST'), put: by('PUT'), delete: by('DELETE'), request };
}

async function call(options: HttpClientOptions, method: string, path: string, asked: HttpRequest): Promise<HttpAnswer> {
  const { endpoint, host = 'localhost:5000', maxBodyBytes = 64 * 1024 * 1024 } = options;
  const totalMs = asked.totalMs ?? options.totalMs ?? 300_000;
  const silenceMs = options.silenceMs ?? totalMs;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new HttpFailure('timeout', `not done after ${totalMs} ms`)), totalMs);
  const stop = (): void => over.abort();
  const outside = [options.signal, asked.signal].filter((signal) => signal !== undefined);
  for (const signal of outside) signal.addEventListener('abort', stop);
  if (outside.some((signal) => signal.aborted)) stop();
  try {
    const first = firstRequest(host, method, path, asked);
    return await followRedirects(
      { endpoint, silenceMs, maxBodyBytes, signal: over.signal },
      first,
      asked.cookies ?? new CookieJar(),
    );
  } finally {
    clearTimeout(timer);
    for (const signal of outside) signal.removeEventListener('abort', stop);
  }
}

function firstRequest(origin: string, method: string, path: string, asked: HttpRequest): Outgoing {
  const to = { origin, resource: asked.rawPath === true ? path : normalResource(path, asked.query) };
  const body = requestBody(asked);
  const cookie = asked.cookies?.headerFor(to) ?? null;
  return { method, to, headers: firstHeaders(method, asked.headers ?? {}, cookie, body), body };
}

async function followRedirects(bounds: Bounds, first: Outgoing, cookies: CookieJar): Promise<HttpAnswer> {
  const start = performance.now();
  let outgoing = first;
  let jar = cookies;
  for (let redirects = 0; ; redirects += 1) {
    const { head, body } = await exchange(bounds, outgoing);
    const set = head.headers.all('set-cookie');
    const location = head.headers.get('location');
    if (location === undefined || location === '' || !REDIRECTING.has(head.status)) {
      const own = new CookieJar().with(set, outgoing.to);
      return new HttpAnswer({ ...head, body, cookies: own, redirects, elapsedMs: performance.now() - start });
    }
    if (redirects === REDIRECTS_AT_MOST) throw new HttpFailure('redirects', `more than ${REDIRECTS_AT_MOST} redirects`);
    jar = jar.with(set, outgoing.to);
    outgoing = redirected(outgoing, head.status, location, jar);
  }
}

function redirected(
  { method, to: from, headers, body }: Outgoing,
  status: number,
  location: string,
  jar: CookieJar,
): Outgoing {
  const to = followLocation(from, location);
  const becomesGet = method !== 'HEAD' && (status === 303 || status === 302 || (status === 301 && method === 'POST'));
  const keepsBody = status === 307 || status === 308;
  return {
    method: becomesGet ? 'GET' : method,
    to,
    headers: redirectedHeaders(headers, { from, to, keepsBody, jar }),
    body: keepsBody ? body : null,
  };
}

async function exchange(bounds: Bounds, { method, to, headers, body }: Outgoing): Promise<Incoming> {
  const { endpoint, silenceMs, maxBodyBytes, signal } = bounds;
  const wire = new Wire(endpoint, { silenceMs, signal, waitingBytes: maxBodyBytes + HEAD_BYTES });
  try {
    await wire.connected();
    await upload(wire, headBytes(method, to, headers), body);
    const head = await readHead(wire);
    return { head, body: await answerBody(wire, head, method, maxBodyBytes) };
  } finally {
    wire.close();
  }
}

/** Sends until the other side takes no more: its answer may have come before the end. */
async function upload(wire: Wire, head: Buffer, body: RequestBody | null): Promise<void> {
  if (!(await wire.send(head)) || body === null) return;
  for await (const piece of body.open()) {
    if (!(await wire.send(piece))) return;
  }
}

/** Reads the body of an answer. That of a redirect may be broken, since nobody reads it. */
async function answerBody(wire: Wire, head: AnswerHead, method: string, limit: number): Promise<Buffer> {
  try {
    const body = await readBody(wire, head, method, limit);
    return await decodeContent(head.headers.get('content-encoding') ?? '', body, limit);
  } catch (error) {
    const broken = error instanceof HttpFailure && (error.kind === 'incomplete' || error.kind === 'undecodable');
    if (broken && REDIRECTING.has(head.status) && head.headers.all('location').length > 0) return Buffer.alloc(0);
    throw error;
  }
}
