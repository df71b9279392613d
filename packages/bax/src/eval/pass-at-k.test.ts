import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanPassAtK, passAtK } from './pass-at-k.ts';

/** By counting every way to draw k of n. */
function counted(n: number, c: number, k: number): number {
  let hits = 0;
  let all = 0;
  for (let drawn = 0; drawn < 2 ** n; drawn += 1) {
    const members = Array.from({ length: n }, (_, index) => index).filter((index) => (drawn >> index) & 1);
    if (members.length !== k) continue;
    all += 1;
    if (members.some((index) => index < c)) hits += 1;
  }
  return hits / all;
}

test('is the chance that a draw holds one that counts', () => {
  for (let n = 1; n <= 8; n += 1)
    for (let c = 0; c <= n; c += 1)
      for (let k = 1; k <= n; k += 1)
        assert.ok(Math.abs(passAtK(n, c, k) - counted(n, c, k)) < 1e-12, `${n} ${c} ${k}`);
});

test('asks for no more than there is', () => {
  assert.throws(() => passAtK(3, 1, 4), RangeError);
  assert.throws(() => passAtK(3, 4, 1), RangeError);
});

test('the mean leaves out rows with too few samples, and says how many are left', () => {
  assert.equal(meanPassAtK([{ n: 1, c: 1 }], 2), null);
  assert.deepEqual(
    meanPassAtK(
      [
        { n: 5, c: 5 },
        { n: 1, c: 0 },
      ],
      5,
    ),
    { value: 1, interval: null, rows: 1 },
  );
});

test('the interval holds the value, narrows with rows, and is the same every time', () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({ n: 4, c: index % 5 }));
  const many = meanPassAtK(rows, 1);
  const few = meanPassAtK(rows.slice(0, 10), 1);
  assert.ok(many?.interval && few?.interval);
  assert.equal(many.value, 0.5);
  assert.ok(many.interval.low < 0.5 && 0.5 < many.interval.high);
  assert.ok(many.interval.high - many.interval.low < few.interval.high - few.interval.low);
  assert.deepEqual(meanPassAtK(rows, 1), many);
});
