import { setTimeout as sleep } from 'node:timers/promises';
import { addressRule } from '@assay/judging/content/http/fetch-public';
import { GuardedClient, type GuardedAnswer } from '@assay/judging/content/http/guarded-client';
import { AssayError } from '@assay/protocol';
import { ForgeCache, type Kept } from './forge-cache.ts';
import type { Forge } from './forge.ts';
import { limitedMs } from './rate-limit.ts';

export interface ForgeClientOptions {
  forge: Forge;
  /** Root of its API. Requests go nowhere else. */
  root: URL;
  token: string | null;
  cacheDirectory: string;
  /** Waits; default: by the clock. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Default 32 MiB. */
  maxBytes?: number;
}

/** A page, or one thing. */
export type Answer = Pick<Kept, 'body' | 'next'>;

const REQUEST_MS = 60_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** All waits for limits together. */
const MAX_WAIT_MS = 15 * 60_000;
const RETRIES_MS = [1000, 4000, 16_000];
const MAX_REDIRECTS = 5;
const MAX_PAGES = 20_000;
/** Answers that their server gives no name are good for so long. */
const FRESH_MS = 60 * 60_000;

/**
 * Asks a forge. The token goes to the root's own origin and nowhere else, in a header alone; redirects and pages that lead
 * elsewhere are refused. What was read lies on the disk, and is asked for again only by its name there (`ETag`).
 */
export class ForgeClient {
  readonly #options: Required<ForgeClientOptions>;
  readonly #http: GuardedClient;
  readonly #cache: ForgeCache;
  #waitedMs = 0;

  constructor(options: ForgeClientOptions) {
    this.#options = { ...options, wait: options.wait ?? waitByClock, maxBytes: options.maxBytes ?? MAX_BYTES };
    this.#http = new GuardedClient({ refuse: addressRule(options.root, 'named') });
    this.#cache = new ForgeCache(options.cacheDirectory);
  }

  /** The name of the forge for people. */
  get name(): string {
    return this.#options.root.host;
  }

  close(): void {
    this.#http.close();
  }

  /** Reads what lies at a path below the root. Null when there is nothing. */
  async read(path: string, signal?: AbortSignal): Promise<unknown> {
    return (await this.#answer(this.#below(path), signal))?.body ?? null;
  }

  /** Yields the rows of a list, page after page. Throws `FORGE_REFUSED` when there is no such list. */
  async *list(path: string, signal?: AbortSignal): AsyncGenerator {
    const seen = new Set<string>();
    for (let url: URL | null = this.#below(path); url !== null;) {
      if (seen.has(url.href) || seen.size >= MAX_PAGES) throw this.#failed('its pages go round in a circle');
      seen.add(url.href);
      const answer: Answer | null = await this.#answer(url, signal);
      if (answer === null)
        throw this.#refused('there is no such repository, or it does not show it to whoever has this token or none');
      if (!Array.isArray(answer.body)) throw this.#failed(`no list stands at ${url.pathname}`);
      yield* answer.body;
      url = answer.next === null ? null : this.#within(answer.next, url);
    }
  }

  /** Asks once, without a token, what the forge is. Null when nothing answers. */
  async probe(
    path: string,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: unknown; headers: Readonly<Record<string, string>> } | null> {
    try {
      const { status, headers, bytes } = await this.#request(this.#below(path), {}, signal);
      return { status, headers, body: parsed(bytes) };
    } catch (error) {
      signal?.throwIfAborted();
      if (AssayError.is(error)) return null;
      throw error;
    }
  }

  #below(path: string): URL {
    const { root } = this.#options;
    return new URL(`${root.origin}${root.pathname.replace(/\/$/, '')}${path}`);
  }

  /** An address that an answer names, if it is of the same origin. */
  #within(address: string, from: URL): URL {
    const url = URL.parse(address, from.href);
    if (url?.origin !== this.#options.root.origin)
      throw this.#failed(`it leads to another server, ${url?.host ?? 'of no name'}, which is not asked`);
    return url;
  }

  async #answer(url: URL, signal?: AbortSignal): Promise<Answer | null> {
    const key = { url, withToken: this.#options.token !== null };
    const kept = await this.#cache.read(key);
    if (kept && kept.etag === null && Date.now() - kept.at < FRESH_MS) return kept;
    const answer = await this.#ask(url, kept?.etag ?? null, signal);
    if (answer.status === 304 && kept) return kept;
    if (answer.status === 404 || answer.status === 410) return null;
    if (answer.status !== 200) throw this.#unusable(answer);
    const body = parsed(answer.bytes);
    if (body === undefined)
      throw this.#failed(`it answers ${answer.contentType.split(';', 1)[0] || 'nothing'} where JSON was asked for`);
    const fresh = { etag: answer.headers['etag'] ?? null, at: Date.now(), next: nextOf(answer, url), body };
    await this.#cache.write(key, fresh);
    return fresh;
  }

  /** Asks until there is an answer: waits for limits, and tries again what may pass. */
  async #ask(url: URL, etag: string | null, signal?: AbortSignal): Promise<GuardedAnswer> {
    const { forge, token, wait } = this.#options;
    const headers = { ...forge.headers(token), ...(etag !== null && { 'if-none-match': etag }) };
    for (let tries = 0; ;) {
      signal?.throwIfAborted();
      const answer = await this.#request(url, headers, signal).catch((error: unknown) => error);
      if (!isAnswer(answer)) {
        const isPassing = AssayError.is(answer) && answer.code === 'CONTENT_UNREACHABLE';
        const retry = RETRIES_MS[tries];
        if (!isPassing || retry === undefined) throw this.#told(answer);
        tries += 1;
        await wait(retry, signal);
        continue;
      }
      const { status } = answer;
      const limit = limitedMs(
        status,
        answer.headers,
        status === 403 ? answer.bytes.toString('utf8', 0, 4096) : '',
        Date.now(),
      );
      if (limit !== null) {
        await this.#waitFor(limit, signal);
        continue;
      }
      const retry = RETRIES_MS[tries];
      if (status < 500 || retry === undefined) return answer;
      tries += 1;
      await wait(retry, signal);
    }
  }

  async #waitFor(ms: number, signal?: AbortSignal): Promise<void> {
    // Never at once: a server that says so forever would be asked forever.
    const due = Math.max(ms, 1000);
    if (this.#waitedMs + due > MAX_WAIT_MS)
      throw new AssayError('FORGE_LIMITED', { forge: this.name, until: new Date(Date.now() + due).toISOString() });
    this.#waitedMs += due;
    await this.#options.wait(due, signal);
  }

  async #request(start: URL, headers: Record<string, string>, signal?: AbortSignal): Promise<GuardedAnswer> {
    let url = start;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const timeout = AbortSignal.timeout(REQUEST_MS);
      const request = {
        headers,
        maxBytes: this.#options.maxBytes,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      };
      const answer = await this.#http.request(url, request).catch((error: unknown) => {
        signal?.throwIfAborted();
        if (!timeout.aborted) throw error;
        throw new AssayError('CONTENT_UNREACHABLE', {
          reference: url.host,
          detail: `no answer within ${REQUEST_MS} ms`,
        });
      });
      if (answer.location === null) return answer;
      url = this.#within(answer.location, url);
    }
    throw this.#failed(`more than ${MAX_REDIRECTS} redirects`);
  }

  #unusable({ status }: GuardedAnswer): AssayError {
    const { token } = this.#options;
    if (status === 401)
      return this.#refused(token === null ? 'it wants a token (401)' : 'it does not accept the token (401)');
    if (status === 403)
      return this.#refused(token === null ? 'it wants a token (403)' : 'the token may not read this (403)');
    return this.#failed(`it answers ${status}`);
  }

  #told(error: unknown): unknown {
    if (!AssayError.is(error) || error.code.startsWith('FORGE_')) return error;
    if (error.code === 'CONTENT_TOO_LARGE')
      return this.#failed(`an answer is larger than ${this.#options.maxBytes} bytes`);
    if (error.code === 'CONTENT_UNREACHABLE') return this.#failed(String(error.details['detail']));
    return error;
  }

  #refused(detail: string): AssayError {
    return new AssayError('FORGE_REFUSED', { forge: this.name, detail });
  }

  #failed(detail: string): AssayError {
    return new AssayError('FORGE_FAILED', { forge: this.name, detail });
  }
}

async function waitByClock(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

const isAnswer = (value: unknown): value is GuardedAnswer =>
  typeof value === 'object' && value !== null && 'status' in value && 'bytes' in value;

/** Undefined for what is no JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Where the next page lies: by `Link`, or by the number that GitLab gives beside it. */
function nextOf({ headers }: GuardedAnswer, url: URL): string | null {
  const link = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(headers['link'] ?? '')?.[1];
  if (link !== undefined) return new URL(link, url.href).href;
  const page = headers['x-next-page'] ?? '';
  if (!/^\d+$/.test(page)) return null;
  const next = new URL(url.href);
  next.searchParams.set('page', page);
  return next.href;
}
