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
    'Fix negative numbers of rows wrapping around',
    'Fix split of zero rows handling',
    'Improve RowSet.addAll empty list handling',
    'Fix the logic of pens, enabling copies of pens',
    'Fix passing empty rows to `readRows()`',
    'Fix `blank` option on empty rows',
    'readRows: fall through to the next reader where `next` is set',
    'Fix bug for negative inputs to take()',
    'Fix empty ranges in row_range.__reversed__',
    'Fixed bad reading of tables in lower case',
    'Fix regression reading a large table in one step',
    'The width of a row and its copy are different',
    'Duration add/subtract take into account days in a month',
    'readRows support numbers with commas',
    'Add `filterRows` utility to drop rows that are empty',
    'Add text support to serialize()',
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
    'Add running_rows recipe',
    'Add loops recipe',
    'Include rows_of function',
    'Add once decorator',
    'Export looksLikeRow helper',
    'Add IP address field type',
    'Implements RowSet fields',
    'Expose cleanRowPath',
    'Add `kinds` option to the `.read()` method',
    'Fix matching order',
    'Add a monotonic option to extract()',
    '`read`: add `strictRows` option',
    'Add BigRow plugin support',
    'Add Bengali (Bangladesh) [bn-bd] locale',
    '`locale`: add words of noon in `ar` locale',
    'Implement ordinals in the Bulgarian translation',
    'Add fill parameters to pairs and windows',
    'Reject by ID',
    'Fix multiple bugs in RowSet',
  ];
  for (const title of noOutcome)
    test(`${title}: no outcome`, () => assert.deepEqual(tellsProblem(title, ''), { subject: true, outcome: false }));

  const noSubject = ['update', 'minor fixes', 'Fix dayjs plugin', 'Fix error message', 'Fix bug', 'all passing'];
  for (const title of noSubject)
    test(`${title}: no subject`, () => assert.equal(tellsProblem(title, '').subject, false));

  test('the body may tell what the title does not', () => {
    assert.equal(isThin('Reader', 'Rows after an empty one are lost.'), false);
    assert.equal(isThin('Reader', 'See the discussion.'), true);
  });
});
