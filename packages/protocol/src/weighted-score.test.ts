import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { weightedFloor } from './weighted-score.ts';

const floor = (...parts: [weight: number, score: number][]): number =>
  weightedFloor(parts.map(([weight, score]) => ({ weight, score })));

describe('the floor of the weighted mean', () => {
  test('rounds down, never up', () => {
    assert.equal(floor([1, 100], [1, 99]), 99);
    assert.equal(floor([70, 90], [30, 10]), 66);
    assert.equal(floor([2, 100], [1, 0]), 66);
  });

  test('is exact where binary numbers are not', () => {
    // 0.1 + 0.2 is more than 0.3 in binary, so that this would be 59.
    assert.equal(floor([0.1, 60], [0.2, 60]), 60);
    assert.equal(floor([0.3, 100], [0.6, 100], [0.1, 100]), 100);
    assert.equal(floor(...Array.from({ length: 10 }, (): [number, number] => [0.1, 70])), 70);
  });

  test('takes weights of any size together', () => {
    assert.equal(floor([1e-7, 0], [1e21, 100]), 99);
    assert.equal(floor([5e-324, 40]), 40);
    assert.equal(floor([1.5e300, 10], [1.5e300, 20]), 15);
  });

  test('is 0 of nothing, and of weights that are all 0', () => {
    assert.equal(floor(), 0);
    assert.equal(floor([0, 100], [0, 50]), 0);
    assert.equal(floor([0, 100], [1, 50]), 50);
  });

  test('refuses what is no weight, and a score that is no integer', () => {
    for (const weight of [-1, Number.NaN, Infinity]) assert.throws(() => floor([weight, 1]), RangeError);
    assert.throws(() => floor([1, 0.5]), RangeError);
  });
});
