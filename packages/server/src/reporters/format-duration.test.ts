import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration } from './format-duration.ts';

test('a duration is short and never says 60', () => {
  const cases: Array<[number, string]> = [
    [0, '0 ms'],
    [480.4, '480 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [1400, '1.4 s'],
    [9949, '9.9 s'],
    [9951, '10 s'],
    [59_499, '59 s'],
    [59_600, '1 min 00 s'],
    [185_000, '3 min 05 s'],
    [3_599_600, '1 h 00 min'],
    [7_620_000, '2 h 07 min'],
    [Number.NaN, '?'],
    [-1, '?'],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});
