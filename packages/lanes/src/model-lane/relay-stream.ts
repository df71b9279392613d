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

/** How a stream ended: null as it should, else why not. `byClient`: the client left, or did not take what came. */
export interface RelayEnd {
  broken: string | null;
  byClient: boolean;
}

export type UpstreamStream = Extract<UpstreamAnswer, { kind: 'stream' }>;

export interface StreamLimits {
  meter: AnswerMeter;
  filter: KeyFilter;
  policy: ModelLanePolicy;
}

export interface RelayOptions extends StreamLimits {
  response: ServerResponse;
  signal: AbortSignal;
}

class ClientStalled extends Error {}

/**
 * Passes the bytes of a stream on as they come. The head is sent before. Never throws; what broke ends the client's
 * connection.
 */
export async function relayStream(
  stream: UpstreamStream,
  { response, signal, ...limits }: RelayOptions,
): Promise<RelayEnd> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  response.once('close', onClose);
  let waitedMs = 0;
  try {
    for await (const passed of passedBytes(stream, limits)) {
      signal.throwIfAborted();
      if (passed.length > 0 && !response.write(passed)) {
        const began = performance.now();
        await drained(response, gone.signal, limits.policy.idleMs);
        waitedMs += performance.now() - began;
      }
      if (gone.signal.aborted) throw new Error('the client left');
    }
    response.removeListener('close', onClose);
    response.end();
    return { broken: null, byClient: false };
  } catch (error) {
    const stalled = error instanceof ClientStalled || waitedMs >= STALL_MS;
    const byClient = gone.signal.aborted || stalled;
    response.destroy();
    return { broken: byClient && !stalled ? 'the client left' : failureCode(error), byClient };
  } finally {
    response.removeListener('close', onClose);
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
