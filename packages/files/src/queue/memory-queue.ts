import { randomUUID } from 'node:crypto';
import type { OrderLease, OrderQueue, QueueCounts, QueuedOrder } from '@assay/protocol';

interface Held<Order> {
  order: Order;
  token: string;
  endsAt: number;
}

/** Makes the queue of the embedded scheduler, which lives and dies with its process. `now`: milliseconds, for tests. */
export function memoryQueue<Order extends QueuedOrder>(now: () => number = Date.now): OrderQueue<Order> {
  const known = new Set<string>();
  const waiting: Order[] = [];
  const leased = new Map<string, Held<Order>>();
  const ended = { completed: 0, failed: 0 };
  const expire = (): void => {
    for (const [id, { order, endsAt }] of leased) {
      if (endsAt > now()) continue;
      leased.delete(id);
      waiting.unshift(order);
    }
  };
  const held = ({ order, token }: OrderLease<Order>): Held<Order> | null => {
    expire();
    const current = leased.get(order.id);
    return current?.token === token ? current : null;
  };
  const end = (lease: OrderLease<Order>, as: 'completed' | 'failed' | null): boolean => {
    if (held(lease) === null) return false;
    leased.delete(lease.order.id);
    if (as === null) waiting.unshift(lease.order);
    else ended[as] += 1;
    return true;
  };
  return {
    enqueue: async (orders) => {
      for (const order of orders) {
        if (known.has(order.id)) continue;
        known.add(order.id);
        waiting.push(order);
      }
    },
    lease: async (durationMs) => {
      expire();
      const order = waiting.shift();
      if (order === undefined) return null;
      const token = randomUUID();
      leased.set(order.id, { order, token, endsAt: now() + durationMs });
      return { order, token };
    },
    renew: async (lease, durationMs) => {
      const current = held(lease);
      if (current !== null) current.endsAt = now() + durationMs;
      return current !== null;
    },
    complete: async (lease) => end(lease, 'completed'),
    fail: async (lease) => end(lease, 'failed'),
    release: async (lease) => end(lease, null),
    counts: async (): Promise<QueueCounts> => {
      expire();
      return { waiting: waiting.length, leased: leased.size, ...ended };
    },
  };
}
