import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ItemFailure, OrderLease, OrderQueue, QueuedOrder } from '@assay/protocol';

interface SampleOrder extends QueuedOrder {
  payload: { text: string; numbers: number[] };
}

/** Makes an empty queue whose clock is `now`. */
export type MakeQueue = (now: () => number) => OrderQueue<SampleOrder> | Promise<OrderQueue<SampleOrder>>;

const order = (id: string): SampleOrder => ({ id, payload: { text: `the order ${id}`, numbers: [1, 2.5] } });
const FAILURE: ItemFailure = {
  item: 'a',
  outcome: 'excluded',
  kind: 'infrastructure',
  code: 'SANDBOX_GONE',
  message: 'gone',
  tries: 3,
};

/** Registers the tests that every queue of orders has to pass. */
export function queueConformance(name: string, make: MakeQueue): void {
  const clock = { ms: 1_000_000 };
  const open = (): ReturnType<MakeQueue> => make(() => clock.ms);
  const leased = async (queue: OrderQueue<SampleOrder>, durationMs = 1000): Promise<OrderLease<SampleOrder>> => {
    const lease = await queue.lease(durationMs);
    assert.ok(lease);
    return lease;
  };

  describe(`${name} is a queue of orders`, () => {
    test('gives orders out in their order, each once, as they were', async () => {
      const queue = await open();
      await queue.enqueue([order('a'), order('b')]);
      await queue.enqueue([order('c')]);
      const given = [await leased(queue), await leased(queue), await leased(queue)];
      assert.deepEqual(
        given.map((lease) => lease.order),
        [order('a'), order('b'), order('c')],
      );
      assert.equal(await queue.lease(1000), null);
      assert.equal(new Set(given.map(({ token }) => token)).size, 3);
    });

    test('knows an order by its id, also when it has ended', async () => {
      const queue = await open();
      await queue.enqueue([order('a'), order('a')]);
      assert.equal(await queue.complete(await leased(queue)), true);
      await queue.enqueue([order('a')]);
      assert.equal(await queue.lease(1000), null);
      assert.deepEqual(await queue.counts(), { waiting: 0, leased: 0, completed: 1, failed: 0 });
    });

    test('counts what waits, is leased, completed and failed', async () => {
      const queue = await open();
      await queue.enqueue(['a', 'b', 'c', 'd'].map(order));
      await queue.complete(await leased(queue));
      await queue.fail(await leased(queue), FAILURE);
      await leased(queue);
      assert.deepEqual(await queue.counts(), { waiting: 1, leased: 1, completed: 1, failed: 1 });
    });

    test('a lease that is not renewed runs out, and what its worker says then does not count', async () => {
      const queue = await open();
      await queue.enqueue([order('a')]);
      const late = await leased(queue, 1000);
      clock.ms += 1000;
      const next = await leased(queue, 1000);
      assert.deepEqual(next.order, order('a'));
      for (const say of [queue.complete(late), queue.fail(late, FAILURE), queue.release(late), queue.renew(late, 9)])
        assert.equal(await say, false);
      assert.equal(await queue.complete(next), true);
      assert.equal(await queue.complete(next), false, 'twice');
    });

    test('a renewed lease lasts from then on', async () => {
      const queue = await open();
      await queue.enqueue([order('a')]);
      const lease = await leased(queue, 1000);
      for (let round = 0; round < 3; round += 1) {
        clock.ms += 900;
        assert.equal(await queue.renew(lease, 1000), true);
      }
      assert.equal(await queue.lease(1000), null);
      assert.equal(await queue.complete(lease), true);
    });

    test('an order that is given back comes before the others', async () => {
      const queue = await open();
      await queue.enqueue([order('a'), order('b')]);
      assert.equal(await queue.release(await leased(queue)), true);
      assert.equal((await leased(queue)).order.id, 'a');
    });

    test('of many workers, each order has one', async () => {
      const queue = await open();
      await queue.enqueue(Array.from({ length: 50 }, (_, index) => order(String(index))));
      const seen: string[] = [];
      const worker = async (): Promise<void> => {
        for (let lease = await queue.lease(1000); lease !== null; lease = await queue.lease(1000)) {
          seen.push(lease.order.id);
          assert.equal(await queue.complete(lease), true);
        }
      };
      await Promise.all(Array.from({ length: 8 }, worker));
      assert.equal(seen.length, 50);
      assert.equal(new Set(seen).size, 50);
    });
  });
}
