import type { ItemFailure } from './failure.ts';

/** The part of an order that a queue needs. Orders are plain data and survive a round trip through JSON. */
export interface QueuedOrder {
  readonly id: string;
}

/** An order that is leased to one worker for a while. */
export interface OrderLease<Order extends QueuedOrder> {
  readonly order: Order;
  /** Unique among all leases of the queue. Its holder speaks for the lease. */
  readonly token: string;
}

export interface QueueCounts {
  waiting: number;
  leased: number;
  completed: number;
  failed: number;
}

/**
 * A queue of orders, in this process or beyond this machine. Each order is leased to one worker at a time; a lease that
 * is not renewed runs out, and the order waits again. `renew`, `complete`, `fail` and `release` answer `false` when the
 * lease is lost by then: another worker may have the order, and what this one did does not count.
 */
export interface OrderQueue<Order extends QueuedOrder> {
  /** Adds orders, which are leased in this sequence. Ignores an order whose id is known already. */
  enqueue(orders: readonly Order[]): Promise<void>;
  /** Leases the next waiting order, or answers null when none waits. */
  lease(durationMs: number): Promise<OrderLease<Order> | null>;
  /** Extends a lease to `durationMs` from now. */
  renew(lease: OrderLease<Order>, durationMs: number): Promise<boolean>;
  complete(lease: OrderLease<Order>): Promise<boolean>;
  /** Records that the order came to no answer, by the policy for failures. It is not leased again. */
  fail(lease: OrderLease<Order>, failure: ItemFailure): Promise<boolean>;
  /** Returns an order untried: it waits again, ahead of the others. */
  release(lease: OrderLease<Order>): Promise<boolean>;
  counts(): Promise<QueueCounts>;
}
