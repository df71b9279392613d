import { setTimeout as sleep } from 'node:timers/promises';
import type { ItemFailure, OrderLease, OrderQueue, QueuedOrder } from '@assay/protocol';
import { settle, type FailurePlace } from '../store/failure-policy.ts';

/** Outlasts a pause of the machine; a lease is renewed three times within it. */
const LEASE_MS = 60_000;
/** Time between two looks at a queue whose orders are all with other workers. */
const POLL_MS = 1000;

export interface WorkQueueOptions<Order> {
  /** Number of orders worked on at once. */
  parallel: number;
  name: (order: Order) => string;
  /** The place in the policy for failures that `work` stands for. Default `item`. */
  place?: FailurePlace;
  /** Default 60,000. */
  leaseMs?: number;
  /** Default 1,000, or a third of `leaseMs` when that is less. */
  pollMs?: number;
  /**
   * Orders that come while others are worked on; the next is asked for when a worker here is free and no order waits.
   * The work goes on until the last of them has ended.
   */
  coming?: AsyncIterable<Order>;
  signal?: AbortSignal;
  /** Called before each retry. */
  onRetry?: (order: Order, failure: ItemFailure) => void;
  onFailure?: (order: Order, failure: ItemFailure, error: unknown) => void;
}

/**
 * Works on the orders of a queue until every order has ended, here or with another worker: when none waits but some are
 * leased, it looks again, and takes over an order whose lease has run out.
 *
 * An order that fails is retried, and then recorded as failed, by the policy. An error that ends the job is thrown once
 * everything under way here has ended; unfinished orders go back to the queue, and `coming` is not waited for. The
 * signal that `work` gets fires on an abort, and when the lease is lost, after which the result of `work` does not
 * count.
 */
export async function workQueue<Order extends QueuedOrder>(
  queue: OrderQueue<Order>,
  options: WorkQueueOptions<Order>,
  work: (order: Order, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { parallel, coming, signal, leaseMs = LEASE_MS, pollMs = Math.min(POLL_MS, leaseMs / 3) } = options;
  const idle = new IdleWorkers(pollMs, signal);
  let failed = false;
  let failure: unknown;
  const fail = (error: unknown): void => {
    if (!failed) failure = error;
    failed = true;
  };
  const incoming = coming && new Incoming(queue, coming, { onError: fail, onChange: () => idle.wake() });
  const worker = async (): Promise<void> => {
    while (!failed && !signal?.aborted) {
      // Taken before the look, so that nothing that comes or ends during it is missed.
      const woken = idle.nextWake();
      const lease = await queue.lease(leaseMs);
      if (lease === null) {
        const mayGrow = incoming?.ask() ?? false;
        const { waiting, leased } = await queue.counts();
        if (waiting + leased === 0 && !mayGrow) return;
        if (waiting === 0 && !failed) await idle.wait(woken);
        continue;
      }
      try {
        await holdLease(queue, lease, { ...options, leaseMs }, work);
      } catch (error) {
        fail(error);
        await queue.release(lease);
      } finally {
        idle.wake();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, parallel) }, worker));
  await incoming?.close();
  signal?.throwIfAborted();
  if (failed) throw failure;
}

interface IncomingListener {
  onError: (error: unknown) => void;
  onChange: () => void;
}

/** Brings orders into a queue, one at a time. */
class Incoming<Order extends QueuedOrder> {
  readonly #queue: OrderQueue<Order>;
  readonly #orders: AsyncIterator<Order>;
  readonly #told: IncomingListener;
  #state: 'idle' | 'asked' | 'ended' = 'idle';

  constructor(queue: OrderQueue<Order>, orders: AsyncIterable<Order>, told: IncomingListener) {
    this.#queue = queue;
    this.#orders = orders[Symbol.asyncIterator]();
    this.#told = told;
  }

  /** Asks for the next order, unless that is under way. Returns false when there is no more. */
  ask(): boolean {
    if (this.#state === 'idle') void this.#receive();
    return this.#state !== 'ended';
  }

  async #receive(): Promise<void> {
    this.#state = 'asked';
    try {
      const next = await this.#orders.next();
      if (!next.done) await this.#queue.enqueue([next.value]);
      this.#state = next.done ? 'ended' : 'idle';
    } catch (error) {
      this.#state = 'ended';
      this.#told.onError(error);
    } finally {
      this.#told.onChange();
    }
  }

  /** Lets go of the source. An order that was asked for is not waited for: it may never come. */
  async close(): Promise<void> {
    const closed = this.#orders.return?.();
    if (this.#state === 'asked') closed?.catch(() => undefined);
    else await closed;
  }
}

/** Workers with nothing to do. They look again after a while, and at once when an order of this process has ended. */
class IdleWorkers {
  readonly #pollMs: number;
  readonly #signal: AbortSignal | undefined;
  #woken = new AbortController();

  constructor(pollMs: number, signal?: AbortSignal) {
    this.#pollMs = pollMs;
    this.#signal = signal;
  }

  nextWake(): AbortSignal {
    return this.#woken.signal;
  }

  async wait(woken: AbortSignal): Promise<void> {
    const signal = this.#signal === undefined ? woken : AbortSignal.any([this.#signal, woken]);
    await sleep(this.#pollMs, undefined, { signal }).catch(() => undefined);
  }

  wake(): void {
    this.#woken.abort();
    this.#woken = new AbortController();
  }
}

async function holdLease<Order extends QueuedOrder>(
  queue: OrderQueue<Order>,
  lease: OrderLease<Order>,
  { name, place = 'item', leaseMs, signal, onRetry, onFailure }: WorkQueueOptions<Order> & { leaseMs: number },
  work: (order: Order, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { order } = lease;
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    if (!(await queue.renew(lease, leaseMs).catch(() => true))) lost.abort(new Error('the lease is lost'));
  };
  const renewing = setInterval(() => void renew(), leaseMs / 3);
  const either = signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]);
  try {
    const settled = await settle(
      { place, item: name(order), signal: either, onRetry: (failure) => onRetry?.(order, failure) },
      () => work(order, either),
    );
    if ('value' in settled) await queue.complete(lease);
    else if (await queue.fail(lease, settled.failure)) onFailure?.(order, settled.failure, settled.error);
  } catch (error) {
    // A lost lease is not an error: another worker has the order and speaks for it.
    if (signal?.aborted || !lost.signal.aborted) throw error;
  } finally {
    clearInterval(renewing);
  }
}
