import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import zlib from 'node:zlib';
import { AssayError } from '@assay/protocol';
import type { LaneLimits } from './contract.ts';
import type { Upstream } from './upstream.ts';

const MAX_REDIRECTS = 5;
/** Limit of one request, however steadily its bytes arrive. */
const TOTAL_MS = 20 * 60_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 20_000;

export interface UpstreamDocument {
  body: Buffer;
  contentType: string;
  /** After redirects; relative addresses in the body start here. */
  url: URL;
}

type Consumer<T> = (body: Readable, answer: http.IncomingMessage, url: URL) => Promise<T>;

/** A failed request. The message names no address. `status` is the lane's answer; `again`: a retry may help. */
class UpstreamFailure extends Error {
  readonly status: 502 | 504;
  readonly again: boolean;
  readonly retryAfterMs: number;

  constructor(detail: string, options: { status?: 502 | 504; again?: boolean; retryAfterMs?: number } = {}) {
    super(detail);
    this.status = options.status ?? 502;
    this.again = options.again ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/**
 * Reads from one upstream: time-outs, retries with growing pauses, redirects, size caps. Its errors are `LANE_FAILED`
 * with `details.status` 502 or 504, and hold neither credentials nor addresses.
 */
export class UpstreamClient {
  readonly upstream: Upstream;
  readonly #lane: string;
  readonly #limits: LaneLimits;
  readonly #agents: { 'http:': http.Agent; 'https:': https.Agent };
  readonly #closed = new AbortController();

  constructor(lane: string, upstream: Upstream, limits: LaneLimits) {
    this.#lane = lane;
    this.upstream = upstream;
    this.#limits = limits;
    // Sixteen at once are polite to the upstream, and bound the memory that answers being read take.
    const common = { keepAlive: true, maxSockets: 16, proxyEnv: process.env };
    const secureContext =
      upstream.certificates.length === 0
        ? {}
        : { secureContext: tls.createSecureContext({ ca: [...tls.rootCertificates, ...upstream.certificates] }) };
    this.#agents = { 'http:': new http.Agent(common), 'https:': new https.Agent({ ...common, ...secureContext }) };
  }

  /** Fetches an index page or packument. Returns null when the upstream has none (404, 410). */
  document(url: URL, accept: string): Promise<UpstreamDocument | null> {
    return this.#retrying(() =>
      this.#get(url, { accept, 'accept-encoding': 'gzip, identity' }, async (body, answer, finalUrl) => ({
        body: await this.#collect(decoded(body, answer)),
        contentType: answer.headers['content-type'] ?? '',
        url: finalUrl,
      })),
    );
  }

  /**
   * The bytes of an artefact, piece by piece into `consume`, which starts anew on each retry; null when the upstream
   * has none.
   */
  artefact<T>(url: URL, consume: (body: Readable) => Promise<T>): Promise<T | null> {
    return this.#retrying(() =>
      this.#get(url, { accept: '*/*', 'accept-encoding': 'identity' }, (body) => consume(body)),
    );
  }

  close(): void {
    this.#closed.abort();
    this.#agents['http:'].destroy();
    this.#agents['https:'].destroy();
  }

  async #retrying<T>(attempt: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (AssayError.is(error)) throw error;
        const failure = error instanceof UpstreamFailure ? error : fromSocketError(error);
        if (!failure.again || count >= this.#limits.attempts || this.#closed.signal.aborted) {
          throw new AssayError(
            'LANE_FAILED',
            { lane: this.#lane, detail: failure.message, status: failure.status },
            { cause: error },
          );
        }
        const delay = Math.max(failure.retryAfterMs, FIRST_DELAY_MS * 2 ** (count - 1) * (1 + Math.random()));
        await sleep(Math.min(delay, LONGEST_DELAY_MS), undefined, { signal: this.#closed.signal });
      }
    }
  }

  async #get<T>(start: URL, headers: Record<string, string>, consume: Consumer<T>): Promise<T | null> {
    let url = start;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const answer = await this.#request(url, headers);
      const status = answer.statusCode ?? 0;
      if (status === 200) return await this.#guarded(answer, () => consume(answer, answer, url));
      answer.resume();
      if (status === 404 || status === 410) return null;
      if (status >= 300 && status < 400 && answer.headers.location !== undefined) {
        url = redirected(url, answer.headers.location);
        continue;
      }
      const again = status === 408 || status === 425 || status === 429 || status >= 500;
      throw new UpstreamFailure(`the upstream answered ${status}`, { again, retryAfterMs: retryAfter(answer) });
    }
    throw new UpstreamFailure(`more than ${MAX_REDIRECTS} redirects`);
  }

  #request(url: URL, headers: Record<string, string>): Promise<http.IncomingMessage> {
    const secure = url.protocol === 'https:';
    const { authorization, url: base } = this.upstream;
    const sent = {
      'user-agent': 'assay-package-lane',
      ...headers,
      ...(authorization !== undefined && url.origin === base.origin ? { authorization } : {}),
    };
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(url, {
        agent: secure ? this.#agents['https:'] : this.#agents['http:'],
        headers: sent,
        signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(TOTAL_MS)]),
        timeout: this.#limits.idleMs,
      });
      request.on('error', reject);
      request.on('timeout', () => request.destroy(silent()));
      request.on('response', (answer) => {
        // Before the request's own handler, whose reset would hide the reason.
        request.prependListener('timeout', () => answer.destroy(silent()));
        resolve(answer);
      });
      request.end();
    });
  }

  async #guarded<T>(answer: http.IncomingMessage, consume: () => Promise<T>): Promise<T> {
    try {
      return await consume();
    } finally {
      answer.destroy();
    }
  }

  async #collect(body: Readable): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of capped(body, this.#limits.indexBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

/** Passes the bytes of `body` on. Fails without a retry once there are more than `limit`. */
export async function* capped(body: Readable, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limit) throw new UpstreamFailure(`the upstream's answer is larger than ${limit} bytes`);
    yield chunk;
  }
}

const silent = (): UpstreamFailure => new UpstreamFailure('the upstream fell silent', { status: 504, again: true });

function decoded(body: Readable, answer: http.IncomingMessage): Readable {
  if (answer.headers['content-encoding'] !== 'gzip') return body;
  const unzip = zlib.createGunzip();
  body.on('error', (error) => unzip.destroy(error));
  return body.pipe(unzip);
}

function redirected(from: URL, location: string): URL {
  const url = URL.parse(location, from.href);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new UpstreamFailure('a redirect to no http address');
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw new UpstreamFailure('a redirect from https to http');
  url.username = '';
  url.password = '';
  return url;
}

function retryAfter(answer: http.IncomingMessage): number {
  const seconds = Number(answer.headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function fromSocketError(error: unknown): UpstreamFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  // An untrusted certificate stays untrusted. Any other fault of a connection may be gone next time.
  const final = code.includes('CERT') || code.includes('SIGNED') || code === 'ABORT_ERR';
  return new UpstreamFailure(`no connection to the upstream (${code})`, { again: !final });
}
