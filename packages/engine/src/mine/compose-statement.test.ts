import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SourceText } from './candidate.ts';
import { composeStatement, type Gates } from './compose-statement.ts';

const GATES: Gates = {
  context: { projectNames: ['inkpot'], knownTestNames: ['tests/test_rows.py'], goldLines: [] },
  words: {
    added: new Set(['_split', 'opts']),
    beside: new Set(),
    known: (name) => name === 'opts',
    variables: new Set(),
    tested: new Set(['readRows']),
    brings: () => false,
  },
  quotes: () => false,
};
const composed = (...texts: [SourceText['source'], string][]) =>
  composeStatement(
    texts.map(([source, text]) => ({ source, text })),
    GATES,
  );

describe('one statement of several texts', () => {
  test('a thin message and an entry of the changelog', () => {
    const made = composed(
      ['message', 'Fix rows (#12)'],
      ['changelog', 'Rows after an empty one are no longer lost.\n\nThanks to Jo Doe.'],
    );
    assert.ok(made?.subject && made.outcome);
    assert.deepEqual(made.statement.sentences, [
      { text: 'Rows after an empty one are no longer lost', source: 'changelog' },
    ]);
  });

  test('what is said twice stands there once', () => {
    const made = composed(
      ['message', 'Keep empty rows when reading'],
      ['changelog', 'Reading keeps empty rows.'],
      ['merge title', 'Keep empty rows when reading'],
    );
    assert.deepEqual(made?.statement, {
      title: 'Keep empty rows when reading',
      body: '',
      sentences: [{ text: 'Keep empty rows when reading', source: 'message' }],
    });
  });

  test('a subject that is an item of a list is a title without its mark', () => {
    const made = composed(['message', '* Keep empty rows when reading\n* Read the last row']);
    assert.equal(made?.statement.title, 'Keep empty rows when reading');
  });

  test('a title that tells the change gives way', () => {
    const made = composed(
      ['message', 'fix(readRows): use optional chaining to access `opts.strict`'],
      ['issue', 'readRows fails without options\n\n`readRows("")` raises TypeError.'],
    );
    assert.deepEqual(
      made?.statement.sentences.map(({ source }) => source),
      ['issue', 'issue'],
    );
    assert.equal(composed(['message', 'fix(readRows): use optional chaining to access `opts.strict`']), null);
  });

  test('the diary of a squashed branch gives way to what users are told', () => {
    const made = composed(
      ['message', 'Keep empty rows\n\n* try again\n\n* wording\n\n* rows are skipped elsewhere too'],
      ['changeset', 'Empty rows are kept when a file is read with `readRows`.'],
    );
    assert.deepEqual(
      made?.statement.sentences.map(({ text, source }) => [source, text]),
      [
        ['message', 'Keep empty rows'],
        ['changeset', 'Empty rows are kept when a file is read with `readRows`.'],
      ],
    );
  });

  test('a new thing that others tell more of is the title', () => {
    const made = composed(
      ['message', 'Add `blank` option to readRows'],
      ['changeset', 'Rows that are empty are kept with an option that is new.'],
    );
    assert.ok(made?.outcome);
    assert.deepEqual(
      made.statement.sentences.map(({ source }) => source),
      ['message', 'changeset'],
    );
  });

  test('an order about code gives way to what users are told of it', () => {
    const entry = 'An error raised while writing rows is no longer replaced by another on a full disk.';
    const made = composed(['message', 'Close the rows before writing the disk'], ['changelog', entry]);
    assert.deepEqual(made?.statement.title, entry.replace(/\.$/, ''));
    assert.equal(made.statement.body, '');
    const other = composed(['message', 'Close the pens at the end'], ['changelog', entry]);
    assert.equal(other?.statement.title, 'Close the pens at the end');
  });

  test('of a branch whose title tells the change no step is a title', () => {
    const diary = '* show some more output\n\n* account for other machines\n\n* out with the prints';
    for (const title of ['readRows: use optional chaining', 'Test and fix for #12 (#13)\n\n* test and fix for #12'])
      assert.equal(composed(['message', `${title}\n\n${diary}`]), null);
    const made = composed(['message', `Merge commit from fork\n\n* fix: keep rows that are empty\n\n${diary}`]);
    assert.match(made?.statement.title ?? '', /^keep rows that are empty$/i);
  });

  test('steps of work are no part of a problem', () => {
    const made = composed([
      'message',
      'Keep empty rows\n\n- update history\n- Empty rows were dropped in text mode\n- fixup! lint',
    ]);
    assert.equal(made?.statement.body, '- Empty rows were dropped in text mode');
  });

  test('nothing but a subject', () => {
    assert.deepEqual(
      [
        composed(['message', 'Improve `readRows` method'])?.subject,
        composed(['message', 'Improve `readRows` method'])?.outcome,
      ],
      [true, false],
    );
  });
});
