import type { ItemFailure } from './failure.ts';

/** The part of an order that a queue needs. Orders are plain data and survive a round trip through JSON. */
export interface QueuedOrder {
  readonly id: string;
}

/** An order that one worker has, until a time. */
export interface OrderLease<Order extends QueuedOrder> {
  readonly order: Order;
  /** Unique among all leases of the queue; whoever has it speaks for the lease. */
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
  /** Orders are given out in this order. One whose id is known already is left as it is. */
  enqueue(orders: readonly Order[]): Promise<void>;
  /** The next order that waits; null when none does. */
  lease(durationMs: number): Promise<OrderLease<Order> | null>;
  /** Lets a lease run out `durationMs` from now. */
  renew(lease: OrderLease<Order>, durationMs: number): Promise<boolean>;
  complete(lease: OrderLease<Order>): Promise<boolean>;
  /** The order came to no answer, by the policy for failures. It is not given out again. */
  fail(lease: OrderLease<Order>, failure: ItemFailure): Promise<boolean>;
  /** Gives an order back untried: it waits again, before the others. */
  release(lease: OrderLease<Order>): Promise<boolean>;
  counts(): Promise<QueueCounts>;
}
