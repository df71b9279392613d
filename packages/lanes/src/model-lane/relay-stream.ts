import { performance } from 'node:perf_hooks';
import type { ServerResponse } from 'node:http';
import type { AnswerMeter } from './answer-meter.ts';
import type { UpstreamAnswer } from './ask-upstream.ts';
import type { ModelLanePolicy } from './contract.ts';
import type { KeyFilter } from './key-guard.ts';
import { failureCode } from './endpoint.ts';

/**
 * A service may end a stream that is not read. What breaks after the client has kept it waiting so long is the client's
 * doing. Milliseconds.
 */
const STALL_MS = 1000;

export interface RelayEnd {
  /** Why the client did not get the whole stream; null when it did. */
  broken: string | null;
  /** Whether that is because the client left, or did not take what came. */
  byClient: boolean;
  /** Whether the service ended the stream by itself, also after the client had left. */
  readToEnd: boolean;
}

export type UpstreamStream = Extract<UpstreamAnswer, { kind: 'stream' }>;

export interface StreamLimits {
  meter: AnswerMeter;
  filter: KeyFilter;
  policy: ModelLanePolicy;
}

export interface RelayOptions extends StreamLimits {
  response: ServerResponse;
  /** Fires when the client leaves. What still comes is metered all the same. */
  gone: AbortSignal;
  /** Ends the stream when it fires. */
  signal: AbortSignal;
}

class ClientStalled extends Error {}

/**
 * Passes the bytes of a stream on as they come. The head is sent before. Never throws; what broke ends the client's
 * connection.
 */
export async function relayStream(
  stream: UpstreamStream,
  { response, gone, signal, ...limits }: RelayOptions,
): Promise<RelayEnd> {
  let waitedMs = 0;
  let stalled: string | null = null;
  const left = (): boolean => stalled !== null || gone.aborted;
  const leaving = (): string => stalled ?? 'the client left';
  try {
    for await (const passed of passedBytes(stream, limits)) {
      signal.throwIfAborted();
      if (passed.length === 0 || left() || response.write(passed)) continue;
      const began = performance.now();
      try {
        await drained(response, gone, limits.policy.idleMs);
      } catch (error) {
        if (!(error instanceof ClientStalled)) throw error;
        stalled = error.message;
        response.destroy();
      }
      waitedMs += performance.now() - began;
    }
    if (left()) return { broken: leaving(), byClient: true, readToEnd: true };
    response.end();
    return { broken: null, byClient: false, readToEnd: true };
  } catch (error) {
    response.destroy();
    if (left()) return { broken: leaving(), byClient: true, readToEnd: false };
    return { broken: failureCode(error), byClient: waitedMs >= STALL_MS, readToEnd: false };
  }
}

/**
 * The bytes of a stream as they come. Throws when it breaks, holds the key, or is longer than the policy allows; it is
 * ended then.
 */
export async function* passedBytes(
  { message, first, rest }: UpstreamStream,
  { meter, filter, policy }: StreamLimits,
): AsyncGenerator<Buffer> {
  const total = setTimeout(() => message.destroy(new Error(`longer than ${policy.totalMs} ms`)), policy.totalMs);
  let isWhole = false;
  try {
    for (let chunk: Buffer | null = first; chunk !== null; chunk = await nextChunk(rest, message, policy.idleMs)) {
      const passed = filter.push(chunk);
      if (passed === null) throw new Error('the answer holds the key');
      if (meter.bytes + passed.length > policy.responseBytes)
        throw new Error(`longer than ${policy.responseBytes} bytes`);
      meter.push(passed);
      yield passed;
    }
    isWhole = true;
    const last = filter.end();
    meter.push(last);
    yield last;
  } finally {
    clearTimeout(total);
    if (!isWhole) message.destroy();
  }
}

async function nextChunk(
  rest: AsyncIterator<unknown>,
  message: { destroy: (error: Error) => unknown },
  idleMs: number,
): Promise<Buffer | null> {
  const timer = setTimeout(() => message.destroy(new Error(`silent for ${idleMs} ms`)), idleMs);
  try {
    const { done, value } = await rest.next();
    return done === true ? null : Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the client has taken what was written, or has left. Rejects when it takes nothing for too long. */
async function drained(response: ServerResponse, gone: AbortSignal, idleMs: number): Promise<void> {
  if (gone.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new ClientStalled(`the client takes nothing for ${idleMs} ms`)), idleMs);
  const leave = (): void => resolve();
  response.once('drain', resolve);
  gone.addEventListener('abort', leave, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    response.removeListener('drain', resolve);
    gone.removeEventListener('abort', leave);
  }
}
