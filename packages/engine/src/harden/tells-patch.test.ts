import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tellsPatch, withoutPatch, type ChangeWords } from './tells-patch.ts';

const WORDS: ChangeWords = {
  added: new Set(['__newRow__', 'isOpen', 'strict', 'opts', 'resolve_pen', '_splitRows', 'readRows', 'DEFAULT_INK']),
  beside: new Set(['Pen', 'inkOf', 'close_all', 'unlink', 'delete', 'close']),
  variables: new Set(['isOpen', 'readRows']),
  known: (name) =>
    ['isOpen', 'strict', 'opts', 'resolve_pen', 'readRows', 'Pen', 'inkOf', 'close_all', 'DEFAULT_INK'].includes(name),
  tested: new Set(['readRows', 'DEFAULT_INK']),
  brings: (code) => code === '(?!rows)' || code.startsWith('RangeError: a row'),
};

describe('the change instead of the need', () => {
  const patch = [
    'Use optional chaining to access `opts.strict`',
    'readRows: use optional chaining to access `opts.strict`',
    'Use an object with null prototype',
    'Complete names with resolve_pen() by calling `resolve_pen` first',
    'The work is done in `_splitRows` now',
    'Use resolve_pen in lists',
    'Replace the old table with a new map',
    'Call close_all() before inkOf() is reached',
    'Expand the pattern regexp',
    'Align isOpen between the two readers',
    "Use '>=' so that a row too many raises",
    'Add early-return guards in the reader so that broken rows end it',
    'Accept it and forward it to pens.close (which has the option already)',
    'The reader passes inkOf as the target',
    'A new test covers these three places',
    'Close the pen before unlinking it',
    'Add a `(?!rows)` at the end of it',
    'The fix puts the pen into a box first',
    'Fixed this by looking twice',
    'Thread the option through and guard the other branches',
    'Compare without case, mirroring the sibling checks',
    'Only short-circuit when the row is empty',
    'min() is implemented with LT and max() with GT',
    'Removes the last use of a shell',
    'Use yaml package to parse tables',
    'AI helped here',
    'We now try another reader before that',
    'Use process.env',
    'I plan to do the same elsewhere',
    'Maybe a way around a failure?',
  ];
  for (const sentence of patch) test(sentence, () => assert.notEqual(tellsPatch(sentence, WORDS), null));

  const need = [
    'Raise TypeError instead of AttributeError for keys that cannot be hashed',
    '`readRows("", {})` raises TypeError; an empty list is expected',
    'Use `DEFAULT_INK` as the default where no ink is given',
    'Rows are read twice when the file is closed',
    'Forward the options of the user to the pager',
    'Accept `>=` in a pattern',
    'Use the name of a colour in the error message instead of its number',
    'Accept a pattern with a regular expression for names',
    'Warn before deleting rows',
    'Rows are lost before closing',
    'Raises `RangeError: a row of ${rows} is too long for us` for rows that are too long',
    'Fix the short-circuit of rows that are empty',
    'Accept `(rows)` in a pattern',
    'Implement `Row.__newRow__` for copies of rows',
    'Add an option that throws a RangeError for rows that are too long',
  ];
  for (const sentence of need) test(`need: ${sentence}`, () => assert.equal(tellsPatch(sentence, WORDS), null));

  test('words for users may name several things that the change touches', () => {
    const entry = '`Pen` and `inkOf` no longer leave a file open.';
    assert.notEqual(tellsPatch(entry, WORDS), null);
    assert.equal(tellsPatch(entry, WORDS, { forUsers: true }), null);
  });

  test('what tells the change goes, and the purpose that it names stays', () => {
    const text =
      'readRows: use early return to avoid losing the last row. Rows were lost.\n\n- Use resolve_pen in lists\n- Empty rows are kept';
    assert.equal(
      withoutPatch(text, WORDS),
      'readRows: avoid losing the last row. Rows were lost.\n\n- Empty rows are kept',
    );
  });

  test('a clause that draws the conclusion for the code goes', () => {
    assert.equal(
      withoutPatch('The pen closes rows that the box owns, so implement a close() method that does not.', WORDS),
      'The pen closes rows that the box owns.',
    );
    assert.equal(
      withoutPatch('A row that lost is still set; restore the previous one if it is rejected.', WORDS),
      'A row that lost is still set.',
    );
    assert.equal(
      withoutPatch('Add a `most` option that throws for longer rows, mirroring how tables are read.', WORDS),
      'Add a `most` option that throws for longer rows.',
    );
    const need = 'Rows are read twice, so use of memory doubles.';
    assert.equal(withoutPatch(need, WORDS), need);
  });
});
