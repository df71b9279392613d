import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isThin, tellsProblem } from './tells-problem.ts';

describe('a subject and what one observes', () => {
  const telling = [
    'Handle empty responses',
    'Extend res.links() to allow several links of one kind',
    'Strip all ANSI sequences',
    'handle empty bytes in echo',
    'Do not close a borrowed stream',
    'parse: with commas on, keep arrays of arrays',
    'exception when a pattern holds `constructor`',
    'Fix closing of callbacks on exit',
    'Add support for Romanian',
    'Fix the resolver to save its state on nesting',
    'Ignore leading white space',
    '`parse`: ignore `__proto__` keys',
    '`read`: enforce `rowLimit` on rows with commas',
    'Fix `types` option with `format: comma` and one item in array (#406)',
  ];
  for (const title of telling) test(title, () => assert.equal(isThin(title, ''), false));

  const noOutcome = [
    'Fix strict mode of the reader',
    'Improve `scan` method',
    'Update Bengali locale',
    'Add `filterRows` utility',
  ];
  for (const title of noOutcome)
    test(`${title}: no outcome`, () => assert.deepEqual(tellsProblem(title, ''), { subject: true, outcome: false }));

  const noSubject = ['update', 'Fix error message', 'Fix bug', 'all passing'];
  for (const title of noSubject)
    test(`${title}: no subject`, () => assert.equal(tellsProblem(title, '').subject, false));

  test('the body may tell what the title does not', () => {
    assert.equal(isThin('Reader', 'Rows after an empty one are lost.'), false);
    assert.equal(isThin('Reader', 'See the discussion.'), true);
  });
});
