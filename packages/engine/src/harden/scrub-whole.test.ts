import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findResidue, scrubInstruction, type ScrubContext } from './scrub-instruction.ts';
import { sentencesOf } from './sentences.ts';

describe('what a removal leaves is whole', () => {
  const known: ScrubContext = {
    projectNames: ['inkpot'],
    goldLines: [],
    knownTestNames: ['test/res.links.js', 'test/utils/join-paths.js', 'joinURL', 'res.links(obj)', 'scan.js'],
    publicNames: new Set(['scan', 'validates']),
  };
  const titles: [string, string][] = [
    ['Extend res.links() to allow several links', 'Extend res.links() to allow several links'],
    ['joinURL: keep the leading dot of res.links(obj)', 'joinURL: keep the leading dot of res.links(obj)'],
    ['fix(withBase, withoutBase): prevent false matches', 'withBase, withoutBase: prevent false matches'],
    ['fix(scan): keep characters in parentheses', '`scan`: keep characters in parentheses'],
    ['[scan] keep characters in parentheses', '`scan`: keep characters in parentheses'],
    ['[parser] keep characters in parentheses', 'Keep characters in parentheses'],
    ['Use @validates in nested schemas', 'Use @validates in nested schemas'],
    ['Strip ANSI #123', 'Strip ANSI'],
    ['Fix #12 - reader hangs', 'Reader hangs'],
    ['Reader hangs by @bob in #12', 'Reader hangs'],
    ['Reader hangs ([#12](https://x.dev/12) by [@bob](https://x.dev/bob))', 'Reader hangs'],
    ['Reader hangs.[1]', 'Reader hangs'],
    ['Reader hangs in rows [#12]_, see [^1] and [1]_.', 'Reader hangs in rows'],
    ['- reader hangs on zero widths', 'Reader hangs on zero widths'],
    ['\u2022 reader hangs on zero widths', 'Reader hangs on zero widths'],
    ["fix: don't lose the last row", "Don't lose the last row"],
    ['Normalize drive letters with `file://` protocol', 'Normalize drive letters with `file://` protocol'],
    ['Fix :meth:`~ink.Pen.write` of ``None`` (:issue:`12`, :pr:`13`)', 'Fix `write` of `None`'],
    ['{func}`write` keeps rows. {issue}`12` {pr}`13`', '`write` keeps rows'],
    ['Handle `[1]` and a[1] in lists', 'Handle `[1]` and a[1] in lists'],
  ];
  for (const [message, title] of titles)
    test(message, () => {
      const scrubbed = scrubInstruction(message, known);
      assert.equal(scrubbed.title, title);
      assert.deepEqual(findResidue(scrubbed.title, known), []);
    });

  test('bullets of any kind are items, and an empty one is none', () => {
    const { body } = scrubInstruction(
      'Rows are lost\n\n\u2022 the first row is lost\n\u2022 the second one (#12)\n-\n- #13\n-reads the third row twice',
      known,
    );
    assert.equal(body, '- the first row is lost\n- the second one\n- reads the third row twice');
  });
});

describe('what stays as it was written', () => {
  const scrub = (message: string): { title: string; body: string } =>
    scrubInstruction(message, { projectNames: ['inkpot'], goldLines: [], knownTestNames: [] });

  test('an end of a sentence within code ends none', () => {
    assert.deepEqual(sentencesOf('Now ``TABLE ... ROWS=1`` loses the last one. It is kept elsewhere.'), [
      'Now ``TABLE ... ROWS=1`` loses the last one.',
      'It is kept elsewhere.',
    ]);
  });

  test('a member keeps the space before its point', () => {
    assert.equal(scrub('Add .fill method to pens (#3791)').title, 'Add .fill method to pens');
  });

  test('lines that nobody wrapped are no one sentence', () => {
    assert.equal(
      scrub('Keep empty rows\n\nRows are read twice\nColumns are lost in text mode').body,
      'Rows are read twice\n\nColumns are lost in text mode',
    );
    assert.equal(
      scrub(
        `Keep empty rows\n\nRows are read twice when ${'a table is read and '.repeat(3)}shown\nColumns are lost`,
      ).body.split('\n\n').length,
      2,
    );
    assert.match(
      scrub('Keep empty rows\n\nWhen a table of many rows is read and one of them is empty, the\nReader loses it').body,
      /empty, the Reader loses it/,
    );
  });

  test('a title ends where the rest of the work begins', () => {
    for (const tail of [
      ' and add regression tests',
      ', add tests for it',
      ' + updated unit tests',
      ' & fix test on windows',
    ])
      assert.equal(scrub(`Keep empty rows${tail} (#3791)`).title, 'Keep empty rows');
    for (const title of ['Skip rows and remove comments', 'Read tables and add types to rows'])
      assert.equal(scrub(`${title} (#3791)`).title, title);
  });

  test('a name that leads to a profile goes', () => {
    const { title, body } = scrub(
      'Keep empty rows\n\nEmpty rows stay in text mode - by [JoDoe](https://github.com/JoDoe) in [#3791](https://github.com/py-pdf/pypdf/pull/3791)',
    );
    assert.deepEqual([title, body], ['Keep empty rows', 'Empty rows stay in text mode']);
  });
});
