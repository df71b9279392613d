import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError, type QueuedOrder } from '@assay/protocol';
import { memoryQueue } from './memory-queue.ts';
import { serveQueue } from './shared-queue.fixture.ts';
import { workQueue } from './work-queue.ts';

const LEASE_MS = 2000;
const orders = (...ids: string[]): QueuedOrder[] => ids.map((id) => ({ id }));
const name = ({ id }: QueuedOrder): string => id;

interface Worker {
  child: ChildProcess;
  took: string[];
  /** How often it asked for an order. */
  asked: number;
}

describe('workQueue', { timeout: 120_000 }, () => {
  test('does not wait for the next look once everything has ended', async () => {
    const queue = memoryQueue();
    await queue.enqueue(orders('a', 'b', 'c'));
    const done: string[] = [];
    // One worker has nothing to do while the others work. A look in an hour would outlast the test.
    await workQueue(queue, { parallel: 4, name, pollMs: 3_600_000 }, async ({ id }) => {
      await sleep(10);
      done.push(id);
    });
    assert.deepEqual(done.sort(), ['a', 'b', 'c']);
  });

  test('works on orders as they come, and ends after the last of them', async () => {
    const done: string[] = [];
    const coming = async function* (): AsyncGenerator<QueuedOrder> {
      for (const order of orders('a', 'b', 'c')) {
        await sleep(10);
        yield order;
      }
    };
    // Nothing is in the queue at first, and nothing between two orders.
    await workQueue(memoryQueue(), { parallel: 2, name, pollMs: 3_600_000, coming: coming() }, async ({ id }) => {
      done.push(id);
    });
    assert.deepEqual(done, ['a', 'b', 'c']);
  });

  test('asks for an order when a worker is free, and no sooner', async () => {
    const queue = memoryQueue();
    await queue.enqueue(orders('a'));
    const log: string[] = [];
    let isClosed = false;
    async function* coming(): AsyncGenerator<QueuedOrder> {
      try {
        for (const order of orders('b', 'c', 'd')) {
          log.push(`+${order.id}`);
          yield order;
        }
      } finally {
        isClosed = true;
      }
    }
    const options = { parallel: 1, name, pollMs: 3_600_000, coming: coming() };
    await workQueue(queue, options, async ({ id }) => {
      await sleep(5);
      log.push(id);
    });
    assert.deepEqual(log, ['a', '+b', 'b', '+c', 'c', '+d', 'd']);
    assert.ok(isClosed);
  });

  test('ends when what brings the orders fails, and does not wait for orders once one has failed', async () => {
    const broken = async function* (): AsyncGenerator<QueuedOrder> {
      yield { id: 'a' };
      throw new Error('cut off');
    };
    const options = { parallel: 2, name, pollMs: 3_600_000 };
    await assert.rejects(
      workQueue(memoryQueue(), { ...options, coming: broken() }, async () => undefined),
      /cut off/,
    );
    const endless = async function* (): AsyncGenerator<QueuedOrder> {
      yield { id: 'a' };
      await new Promise(() => undefined);
    };
    await assert.rejects(
      workQueue(memoryQueue(), { ...options, coming: endless() }, async () => {
        throw new AssayError('DISK_FULL', { path: '/' });
      }),
      { code: 'DISK_FULL' },
    );
  });

  test('ends on an abort while it waits for other workers', async () => {
    const queue = memoryQueue();
    await queue.enqueue(orders('a'));
    assert.ok(await queue.lease(3_600_000));
    const controller = new AbortController();
    const working = workQueue(
      queue,
      { parallel: 2, name, pollMs: 3_600_000, signal: controller.signal },
      async () => undefined,
    );
    await sleep(10);
    controller.abort(new Error('enough'));
    await assert.rejects(working, /enough/);
  });

  test('finishes the order of a worker that was killed, when its lease has run out', async () => {
    const queue = memoryQueue();
    await queue.enqueue(orders('a', 'b'));
    const workers: ChildProcess[] = [];
    const start = (speed: 'quick' | 'stuck'): Worker => {
      const child = fork(join(import.meta.dirname, 'queue-worker.fixture.ts'), [speed, String(LEASE_MS)]);
      workers.push(child);
      const worker: Worker = { child, took: [], asked: 0 };
      serveQueue(child, queue, (method) => {
        if (method === 'lease') worker.asked += 1;
      });
      child.on('message', (message) => {
        if (typeof message === 'object' && 'took' in message) worker.took.push(String(message.took));
      });
      return worker;
    };
    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) await sleep(5);
    };
    try {
      const stuck = start('stuck');
      await until(() => stuck.took.length === 2);
      await queue.enqueue(orders('c'));
      const quick = start('quick');
      const ended = once(quick.child, 'exit');
      await until(() => quick.took.length === 1 && quick.asked > 20);
      assert.deepEqual(quick.took, ['c'], 'a lease that is renewed is not taken over');
      assert.equal(quick.child.exitCode, null, 'it waits for what the other one has');
      stuck.child.kill('SIGKILL');
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(quick.took.sort(), ['a', 'b', 'c']);
      assert.deepEqual(await queue.counts(), { waiting: 0, leased: 0, completed: 3, failed: 0 });
    } finally {
      for (const worker of workers) worker.kill('SIGKILL');
    }
  });
});
