import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ReadAhead } from './read-ahead.ts';

describe('reading ahead', () => {
  test('gives all items in their order, and knows how many there are before they are taken', async () => {
    const ahead = new ReadAhead([1, 2, 3, 4], 3);
    await ahead.ended;
    assert.deepEqual([ahead.total, await Array.fromAsync(ahead)], [3, [1, 2, 3]]);
  });

  test('gives what is found before a failure, then the failure', async () => {
    const ahead = new ReadAhead(
      (async function* () {
        yield 1;
        throw new TypeError('lost');
      })(),
      9,
    );
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const item of ahead) seen.push(item);
    }, TypeError);
    assert.deepEqual(seen, [1]);
  });

  test('closes a search that has not ended, and asks it for nothing more', async () => {
    const gate = Promise.withResolvers<void>();
    let asked = 0;
    let closed = false;
    const ahead = new ReadAhead(
      (async function* () {
        try {
          for (;;) {
            asked += 1;
            yield asked;
            await gate.promise;
          }
        } finally {
          closed = true;
        }
      })(),
      9,
    );
    for await (const item of ahead) {
      assert.equal(item, 1);
      break;
    }
    const closing = ahead.close();
    gate.resolve();
    await closing;
    assert.deepEqual([asked, closed, ahead.total], [2, true, undefined]);
  });
});
