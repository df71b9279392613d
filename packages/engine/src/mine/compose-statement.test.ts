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
