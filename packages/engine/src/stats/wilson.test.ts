import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { wilsonInterval } from './wilson.ts';

const rounded = ([low, high]: [number, number]): [string, string] => [low.toFixed(4), high.toFixed(4)];

describe('wilsonInterval', () => {
  // Values published by Newcombe (1998), table I, with z = 1.96.
  for (const [passes, n, low, high] of [
    [81, 263, '0.2553', '0.3662'],
    [15, 148, '0.0624', '0.1605'],
    [0, 20, '0.0000', '0.1611'],
    [1, 29, '0.0061', '0.1718'],
  ] as const) {
    test(`${passes} of ${n}`, () => assert.deepEqual(rounded(wilsonInterval(passes, n)), [low, high]));
  }

  test('mirrors: failures have the mirrored interval', () => {
    const [low, high] = wilsonInterval(3, 10);
    const [mirroredLow, mirroredHigh] = wilsonInterval(7, 10);
    assert.ok(Math.abs(low - (1 - mirroredHigh)) < 1e-12 && Math.abs(high - (1 - mirroredLow)) < 1e-12);
  });

  test('ends are exact at none and all, and nothing is known without runs', () => {
    assert.equal(wilsonInterval(0, 7)[0], 0);
    assert.equal(wilsonInterval(7, 7)[1], 1);
    assert.deepEqual(wilsonInterval(0, 0), [0, 1]);
  });

  test('a larger z widens', () => {
    const [low, high] = wilsonInterval(5, 10);
    const [wideLow, wideHigh] = wilsonInterval(5, 10, 2.576);
    assert.ok(wideLow < low && wideHigh > high);
  });
});
