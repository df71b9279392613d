import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sumsUp } from './sums-up.ts';

describe('subjects that sum up several changes', () => {
  const several = [
    'Edge-case sweep: six long-standing crash/hang fixes',
    'Several fixes',
    'fix: various small issues in the reader',
    'Fixes and improvements to the row store',
    'minor fixes',
    'Numerous improvements',
    'Fix multiple bugs in RowSet',
    'Pens: three bug fixes',
    'a few more py3 improvements',
  ];
  for (const subject of several) test(subject, () => assert.equal(sumsUp(subject), true));

  const one = [
    'Fix two-digit years',
    'Fix several rows being lost on exit',
    'Allow multiple fixes of one row in a patch',
    'Show more changes in the log of a row',
    'Handle some issues of `gh issue list` without a title',
    'Fix rows: keep empty ones',
    'Report all problems of a table at once',
  ];
  for (const subject of one) test(`one: ${subject}`, () => assert.equal(sumsUp(subject), false));

  test('a hostile subject takes no time', () => {
    for (const piece of ['fix ', 'a: ', 'six x ', '[', ': six ']) sumsUp(piece.repeat(20_000));
  });
});
