import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findResidue, scrubInstruction, type ScrubContext } from './scrub-instruction.ts';

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
