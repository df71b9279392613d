import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelDialect, ModelLanePolicy } from './contract.ts';
import type { LaneDialect } from './dialects/dialect.ts';
import type { EndpointLimiter } from './endpoint-limiter.ts';
import type { KeyGuard } from './key-guard.ts';
import { isRecord } from './rules.ts';
import { AttemptFailure, fromSocketError, type UpstreamClient } from './upstream-client.ts';

const MAX_ERROR_BODY = 64 * 1024;
/** Time a service may take to send the body of an error. */
const ERROR_BODY_MS = 10_000;
const LONGEST_BACK_OFF_MS = 30_000;
/** The client of this dialect restarts a request after about a minute. */
const GEMINI_ABSORB_MS = 60_000;

export interface Question {
  dialect: ModelDialect;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
  stream: boolean;
  signal: AbortSignal;
}

/** A request as it was sent to the service. */
export interface Asked {
  dialect: LaneDialect;
  model: string;
  question: Question;
}

/**
 * `stream`: its first piece is here, the others come from `rest`. `whole`: JSON, read to its end. `refused`: the
 * service says that the request is wrong.
 */
export type UpstreamAnswer =
  | {
      kind: 'stream';
      message: IncomingMessage;
      contentType: string;
      first: Buffer;
      rest: AsyncIterator<unknown>;
      release: () => void;
    }
  | { kind: 'whole'; contentType: string; bytes: Buffer; json: Record<string, unknown> }
  | { kind: 'refused'; status: number; contentType: string; bytes: Buffer };

/** Thrown when the requests of one client hold too much, which is not the service's fault. */
export class TooMuchHeld extends AttemptFailure {}

export interface AskOptions {
  client: UpstreamClient;
  limiter: EndpointLimiter;
  policy: ModelLanePolicy;
  /** An answer that holds the key counts as a failure. */
  guard: KeyGuard;
  /** Reserves more bytes. Answering false ends the request. */
  hold: (bytes: number) => boolean;
  /** Called before each attempt. */
  onAsk?: () => void;
  /** Called before each retry. */
  onRetry: (detail: string, waitMs: number) => void;
}

/**
 * Asks until an answer begins: what fails before its first byte is tried again, after growing waits. Throws {@link
 * AttemptFailure} when that did not help, and the signal's reason.
 */
export async function askUpstream(question: Question, options: AskOptions): Promise<UpstreamAnswer> {
  const { limiter, policy, onRetry } = options;
  const { signal } = question;
  const absorbMs = question.dialect === 'gemini' ? Math.min(policy.absorbMs, GEMINI_ABSORB_MS) : policy.absorbMs;
  const started = Date.now();
  let stale = 0;
  for (let attempt = 1; ; attempt += 1) {
    await limiter.acquire(signal);
    try {
      options.onAsk?.();
      const answer = await ask(question, options);
      if (answer.kind !== 'stream') limiter.release('fine');
      return answer;
    } catch (error) {
      limiter.release('unknown');
      signal.throwIfAborted();
      const failure = fromSocketError(error);
      const retryAfterMs = Math.min(failure.retryAfterMs, policy.retryAfterMs);
      if (failure.overload) limiter.overloaded(retryAfterMs);
      if (failure.stale && (stale += 1) <= 3) {
        attempt -= 1;
        continue;
      }
      const backOff = Math.min(LONGEST_BACK_OFF_MS, policy.backOffMs * 2 ** (attempt - 1)) * (0.75 + Math.random() / 2);
      const waitMs = Math.max(retryAfterMs, backOff);
      if (!failure.again || attempt >= policy.attempts || Date.now() - started + waitMs > absorbMs) throw failure;
      onRetry(failure.message, Math.round(waitMs));
      await sleep(waitMs, undefined, { signal });
    }
  }
}

async function ask(
  { url, headers, body, stream, signal }: Question,
  { client, limiter, policy, guard, hold }: AskOptions,
): Promise<UpstreamAnswer> {
  const started = Date.now();
  const firstMs = stream ? policy.firstByteMs : policy.answerMs;
  const message = await client.post({ url, headers, body, headMs: firstMs, signal });
  // The reader gets the stream's errors. Nobody handles those that come later.
  message.on('error', () => {});
  try {
    const status = message.statusCode ?? 0;
    const contentType = message.headers['content-type'] ?? '';
    if (status !== 200) return await readRefusal(message, status, contentType);
    if ((message.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw new AttemptFailure('the service compresses, which was not asked for');
    const left = Math.max(1, firstMs - (Date.now() - started));
    if (!stream)
      return await within(message, left, () =>
        readWhole(message, contentType, { limit: policy.responseBytes, guard, hold }),
      );
    if (!/^text\/event-stream\b/i.test(contentType))
      throw new AttemptFailure('the service answers a request for a stream with something else');
    const rest: AsyncIterator<unknown> = message[Symbol.asyncIterator]();
    const first = await within(message, left, () => rest.next());
    if (first.done === true || !Buffer.isBuffer(first.value))
      throw new AttemptFailure('the stream ended before its first byte', { again: true });
    assertNoError(first.value);
    return { kind: 'stream', message, contentType, first: first.value, rest, release: () => limiter.release('fine') };
  } catch (error) {
    message.destroy();
    signal.throwIfAborted();
    throw fromSocketError(error);
  }
}

/** Destroys the message and fails when the work takes longer. */
async function within<T>(message: IncomingMessage, milliseconds: number, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(
    () => message.destroy(new AttemptFailure(`no answer within ${milliseconds} ms`, { again: true })),
    milliseconds,
  );
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

async function readWhole(
  message: IncomingMessage,
  contentType: string,
  { limit, guard, hold }: Pick<AskOptions, 'guard' | 'hold'> & { limit: number },
): Promise<UpstreamAnswer> {
  const bytes = await collect(message, limit, hold);
  if (bytes === null) throw new AttemptFailure(`the answer is larger than ${limit} bytes`);
  if (guard.isIn(bytes)) throw new AttemptFailure('the answer holds the key');
  const json = parseJson(bytes);
  if (!isRecord(json)) throw new AttemptFailure('the answer is no JSON object', { again: true });
  return { kind: 'whole', contentType, bytes, json };
}

async function readRefusal(message: IncomingMessage, status: number, contentType: string): Promise<UpstreamAnswer> {
  const bytes =
    (await within(message, ERROR_BODY_MS, () => collect(message, MAX_ERROR_BODY)).catch(() => null)) ?? Buffer.alloc(0);
  message.destroy();
  const detail = `the service answered ${status}`;
  if (status === 429 && bytes.includes('insufficient_quota')) throw new AttemptFailure(`${detail}: its quota is spent`);
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) {
    throw new AttemptFailure(detail, {
      again: true,
      overload: status === 429 || status === 503 || status === 529,
      retryAfterMs: retryAfter(message.headers['retry-after']),
    });
  }
  if (status >= 300 && status < 400) throw new AttemptFailure(`${detail}: redirects are not followed`);
  // These statuses are about the key or the address, not about the request.
  if (status < 400 || [401, 402, 403, 404, 405, 407].includes(status)) throw new AttemptFailure(detail);
  return { kind: 'refused', status, contentType, bytes };
}

async function collect(
  message: IncomingMessage,
  limit: number,
  hold: AskOptions['hold'] = () => true,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > limit) return null;
    if (!hold(chunk.length)) throw new TooMuchHeld('too much at the same time');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A stream that begins with an error counts as failed, because some clients would take it for an answer. */
function assertNoError(first: Buffer): void {
  const found = /^(?:event: *error\r?\n)?data: *(\{(?: *"type": *"error"| *"error"[ :]).*)/.exec(
    first.subarray(0, MAX_ERROR_BODY).toString('utf8'),
  );
  if (found === null) return;
  const overload = /overloaded|rate_limit|RESOURCE_EXHAUSTED/.test(found[1] ?? '');
  throw new AttemptFailure('the stream began with an error', {
    again: !/invalid_request|INVALID_ARGUMENT|authentication|permission/.test(found[1] ?? ''),
    overload,
  });
}

/** Returns null for text that is not JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** Seconds, or a date; milliseconds from now. */
function retryAfter(value: string | undefined): number {
  if (value === undefined) return 0;
  const seconds = Number(value);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0;
}
