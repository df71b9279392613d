import { lookup as systemLookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { AssayError } from '@assay/protocol';

const CONNECT_MS = 10_000;
const FIRST_BYTE_MS = 30_000;

/** Returns why an address may not be dialled for a URL, or null. */
export type AddressRule = (address: string, url: URL) => string | null;
/** Resolves all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<string[]>;

export interface GuardedClientOptions {
  refuse: AddressRule;
  /** Default: the system's resolver. */
  resolve?: Resolve | undefined;
}

export interface GuardedRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** A longer body raises `CONTENT_TOO_LARGE`; no more than this and one read are ever held. */
  maxBytes: number;
  /** Bounds the whole. */
  signal: AbortSignal;
}

export interface GuardedAnswer {
  status: number;
  /** Where a redirect (3xx) leads, as the server wrote it; null for all else. Its body is not read. */
  location: string | null;
  contentType: string;
  /** By names in small letters; one that came several times is joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** How long the server asks to wait before the next request; null when it does not say. */
  retryAfterMs: number | null;
  bytes: Buffer;
}

/**
 * HTTP to addresses that a rule allows. The rule sees each address that is about to be dialled, after the one and only
 * resolution of its name, so that a name cannot mean something else a moment later. One hop: redirects are the
 * caller's.
 */
export class GuardedClient {
  readonly #refuse: AddressRule;
  readonly #resolve: Resolve;
  // A pooled connection was allowed when it was dialled, for the same host and port. Idle ones do not keep the process
  // alive.
  readonly #agents = {
    'http:': new http.Agent({ keepAlive: true, maxSockets: 8 }),
    'https:': new https.Agent({ keepAlive: true, maxSockets: 8 }),
  };

  constructor(options: GuardedClientOptions) {
    this.#refuse = options.refuse;
    this.#resolve = options.resolve ?? resolveBySystem;
  }

  /** Throws `ADDRESS_REFUSED`, `CONTENT_TOO_LARGE`, `CONTENT_UNREACHABLE`, and the signal's reason. */
  async request(url: URL, request: GuardedRequest): Promise<GuardedAnswer> {
    request.signal.throwIfAborted();
    const { protocol } = url;
    if (protocol !== 'http:' && protocol !== 'https:') throw refused(url, `${protocol} is neither https nor http`);
    if (url.username !== '' || url.password !== '') throw refused(url, 'it holds credentials');
    try {
      const addresses = await this.#addressesOf(url, request.signal);
      const message = await this.#open(url, protocol, addresses, request);
      return await readAnswer(message, url, request.maxBytes);
    } catch (error) {
      request.signal.throwIfAborted();
      if (AssayError.is(error)) throw error;
      throw unreachable(url, describe(error), error);
    }
  }

  /** Ends pooled connections. */
  close(): void {
    this.#agents['http:'].destroy();
    this.#agents['https:'].destroy();
  }

  #open(
    url: URL,
    protocol: 'http:' | 'https:',
    addresses: readonly string[],
    options: GuardedRequest,
  ): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = (protocol === 'https:' ? https : http).request(url, {
        method: options.method ?? 'GET',
        agent: this.#agents[protocol],
        lookup: lookupOf(addresses),
        signal: options.signal,
        // Without compression no small answer can become a large one.
        headers: {
          'user-agent': 'assay',
          'accept-encoding': 'identity',
          ...options.headers,
          ...(options.body && { 'content-length': String(options.body.length) }),
        },
      });
      let timer = setTimeout(
        () => request.destroy(unreachable(url, `no connection within ${CONNECT_MS} ms`)),
        CONNECT_MS,
      );
      const awaitAnswer = (): void => {
        clearTimeout(timer);
        timer = setTimeout(
          () => request.destroy(unreachable(url, `no answer within ${FIRST_BYTE_MS} ms`)),
          FIRST_BYTE_MS,
        );
      };
      request.on('socket', (socket) => {
        if (socket.connecting) socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', awaitAnswer);
        else awaitAnswer();
      });
      request.on('response', resolve);
      request.on('error', reject);
      request.on('close', () => clearTimeout(timer));
      request.on('response', () => clearTimeout(timer));
      request.end(options.body);
    });
  }

  /**
   * One address that is not allowed spoils the name: whoever answers so means harm, or has a name for inside and
   * outside.
   */
  async #addressesOf(url: URL, signal: AbortSignal): Promise<string[]> {
    const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
    const addresses = isIP(host) === 0 ? await abortable(this.#resolve(host), signal) : [host];
    if (addresses.length === 0) throw unreachable(url, 'its host has no address');
    for (const address of addresses) {
      const reason = this.#refuse(address, url);
      if (reason !== null) throw refused(url, reason);
    }
    return addresses;
  }
}

/** Makes the error for a URL that is not followed. It shows only the origin: the rest may hold secrets. */
export function refused(url: URL, detail: string): AssayError {
  return new AssayError('ADDRESS_REFUSED', { url: `${url.protocol}//${url.host}`, detail });
}

/** Makes the error for a server that fails. */
export function unreachable(url: URL, detail: string, cause?: unknown): AssayError {
  return new AssayError('CONTENT_UNREACHABLE', { reference: shown(url), detail }, { cause });
}

/** Returns a URL without credentials and query, which may hold secrets. */
export function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

async function readAnswer(message: http.IncomingMessage, url: URL, maxBytes: number): Promise<GuardedAnswer> {
  const status = message.statusCode ?? 0;
  const { location } = message.headers;
  const answer = {
    status,
    location: null,
    contentType: message.headers['content-type'] ?? '',
    headers: headersOf(message),
    retryAfterMs: retryAfterOf(message.headers['retry-after']),
  };
  try {
    if (status >= 300 && status < 400 && location !== undefined) return { ...answer, location, bytes: Buffer.alloc(0) };
    const encoding = message.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') throw unreachable(url, `it answers ${encoding} where no compression was asked for`);
    const tooLarge = (): AssayError => new AssayError('CONTENT_TOO_LARGE', { reference: shown(url), limit: maxBytes });
    if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of message) {
      if (!Buffer.isBuffer(chunk)) continue;
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return { ...answer, bytes: Buffer.concat(chunks) };
  } finally {
    // A connection returns to the pool once its answer is read to the end. An unread rest closes it.
    if (!message.readableEnded) message.destroy();
  }
}

/** The header holds seconds or a date. */
function retryAfterOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const wait = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : new Date(text).getTime() - Date.now();
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

function headersOf({ headers }: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

async function resolveBySystem(hostname: string): Promise<string[]> {
  // These names always mean this machine, and many resolvers do not know them.
  const name = hostname.endsWith('.localhost') ? 'localhost' : hostname;
  return (await systemLookup(name, { all: true })).map(({ address }) => address);
}

/** Resolves a name to the addresses that were already allowed, whatever it means by now. */
function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
}

/** A resolver cannot be stopped, but it need not be waited for. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns an address below a base, which may have a path of its own. */
export function urlBelow(base: URL, path: string, parameters: Record<string, string>): URL {
  return new URL(`${base.pathname.replace(/\/+$/, '')}/${path}?${new URLSearchParams(parameters).toString()}`, base);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
