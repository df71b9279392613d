import type { ItemFailure, OrderQueue, QueuedOrder } from '@assay/protocol';
import { settle, type FailurePlace } from '../store/failure-policy.ts';

/** Long enough for a pause of the machine; renewed three times in it. */
const LEASE_MS = 60_000;

export interface WorkQueueOptions<Order> {
  /** Orders at work at once. */
  parallel: number;
  name: (order: Order) => string;
  /** Where a failure of `work` counts as having happened. Default `item`. */
  place?: FailurePlace;
  leaseMs?: number;
  signal?: AbortSignal;
  onFailure?: (order: Order, failure: ItemFailure, error: unknown) => void;
}

/**
 * Works on the orders of a queue until none waits. An order that fails is retried, and then recorded as failed, by the
 * policy; what ends the job is thrown once everything under way has ended, and orders that were not finished wait
 * again. The signal that `work` gets fires on an abort, and when its lease is lost: its result does not count then.
 */
export async function workQueue<Order extends QueuedOrder>(
  queue: OrderQueue<Order>,
  options: WorkQueueOptions<Order>,
  work: (order: Order, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { parallel, signal, leaseMs = LEASE_MS } = options;
  let failed = false;
  let failure: unknown;
  const worker = async (): Promise<void> => {
    while (!failed && !signal?.aborted) {
      const lease = await queue.lease(leaseMs);
      if (lease === null) return;
      try {
        await holdLease(queue, lease, { ...options, leaseMs }, work);
      } catch (error) {
        if (!failed) failure = error;
        failed = true;
        await queue.release(lease);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, parallel) }, worker));
  signal?.throwIfAborted();
  if (failed) throw failure;
}

async function holdLease<Order extends QueuedOrder>(
  queue: OrderQueue<Order>,
  lease: NonNullable<Awaited<ReturnType<OrderQueue<Order>['lease']>>>,
  { name, place = 'item', leaseMs, signal, onFailure }: WorkQueueOptions<Order> & { leaseMs: number },
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
    const settled = await settle({ place, item: name(order), signal: either }, () => work(order, either));
    if ('value' in settled) await queue.complete(lease);
    else if (await queue.fail(lease, settled.failure)) onFailure?.(order, settled.failure, settled.error);
  } catch (error) {
    // Whoever has the order now speaks for it.
    if (signal?.aborted || !lost.signal.aborted) throw error;
  } finally {
    clearInterval(renewing);
  }
}
