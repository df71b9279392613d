import type { ServerResponse } from 'node:http';
import type { AnswerMeter } from './answer-meter.ts';
import type { UpstreamAnswer } from './ask-upstream.ts';
import type { ModelLanePolicy } from './contract.ts';
import type { KeyFilter } from './key-guard.ts';
import { failureCode } from './endpoint.ts';

/** How a stream ended: null as it should, else why not. `byClient`: the client left. */
export interface RelayEnd {
  broken: string | null;
  byClient: boolean;
}

export interface RelayOptions {
  response: ServerResponse;
  meter: AnswerMeter;
  filter: KeyFilter;
  policy: ModelLanePolicy;
  signal: AbortSignal;
}

/** Passes the bytes of a stream on as they come. The head is sent before. Never throws; what broke ends the client's connection. */
export async function relayStream({ message, first, rest }: Extract<UpstreamAnswer, { kind: 'stream' }>, options: RelayOptions): Promise<RelayEnd> {
  const { response, meter, filter, policy, signal } = options;
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  response.once('close', onClose);
  const total = setTimeout(() => message.destroy(new Error(`longer than ${policy.totalMs} ms`)), policy.totalMs);
  try {
    for (let chunk: Buffer | null = first; chunk !== null; chunk = await nextChunk(rest, message, policy.idleMs)) {
      signal.throwIfAborted();
      const passed = filter.push(chunk);
      if (passed === null) throw new Error('the answer holds the key');
      if (meter.bytes + passed.length > policy.responseBytes) throw new Error(`longer than ${policy.responseBytes} bytes`);
      meter.push(passed);
      if (passed.length > 0 && !response.write(passed)) await drained(response, gone.signal, policy.idleMs);
      if (gone.signal.aborted) throw new Error('the client left');
    }
    const last = filter.end();
    meter.push(last);
    response.removeListener('close', onClose);
    response.end(last);
    return { broken: null, byClient: false };
  } catch (error) {
    message.destroy();
    const byClient = gone.signal.aborted;
    response.destroy();
    return { broken: byClient ? 'the client left' : failureCode(error), byClient };
  } finally {
    clearTimeout(total);
    response.removeListener('close', onClose);
  }
}

async function nextChunk(rest: AsyncIterator<unknown>, message: { destroy: (error: Error) => unknown }, idleMs: number): Promise<Buffer | null> {
  const timer = setTimeout(() => message.destroy(new Error(`silent for ${idleMs} ms`)), idleMs);
  try {
    const { done, value } = await rest.next();
    return done === true ? null : Buffer.isBuffer(value) ? value : Buffer.alloc(0);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the client has taken what was written. Rejects when it leaves, or takes nothing for too long. */
async function drained(response: ServerResponse, gone: AbortSignal, idleMs: number): Promise<void> {
  if (gone.aborted) return;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`the client takes nothing for ${idleMs} ms`)), idleMs);
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
