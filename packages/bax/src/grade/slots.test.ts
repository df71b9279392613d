import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSlots } from './slots.ts';

const GIB = 1024 ** 3;

async function mostAtOnce(slots: ReturnType<typeof openSlots>, count: number): Promise<number> {
  let now = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
  };
  await Promise.all(Array.from({ length: count }, () => slots.use(work)));
  return most;
}

test('as many at once as there are slots', async () => {
  assert.equal(
    await mostAtOnce(
      openSlots(3, () => 100 * GIB),
      20,
    ),
    3,
  );
  assert.equal(
    await mostAtOnce(
      openSlots(1, () => 100 * GIB),
      5,
    ),
    1,
  );
});

test('no more than there is memory for, and always one', async () => {
  assert.equal(
    await mostAtOnce(
      openSlots(8, () => 4 * GIB),
      20,
    ),
    3,
  );
  assert.equal(
    await mostAtOnce(
      openSlots(8, () => 0),
      5,
    ),
    1,
  );
});

test('a slot comes back after an error', async () => {
  const slots = openSlots(1, () => 100 * GIB);
  await assert.rejects(
    slots.use(() => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(await slots.use(() => Promise.resolve('next')), 'next');
});

test('memory that others take and give back while something runs is noticed', async () => {
  let available = 100 * GIB;
  const slots = openSlots(4, () => available);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string): Promise<void> =>
    slots.use(() => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  const first = [run('a'), run('b')];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(started, ['a', 'b']);
  available = GIB;
  const later = [run('c'), run('d')];
  ends.get('a')?.();
  await first[0];
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(started, ['a', 'b'], 'a slot is free, and memory is not');
  available = 100 * GIB;
  // Nothing ends meanwhile.
  while (started.length < 4) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
  for (const end of ends.values()) end();
  await Promise.all([...first, ...later]);
});
