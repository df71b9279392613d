import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addedEntries, CHANGELOG } from './changelog-entries.ts';
import { fragmentKind, fragmentText } from './fragments.ts';
import { mergesMaintained, mergeText } from './merges.ts';
import { addedVersionNotes } from './version-notes.ts';

const entries = (before: string | null, after: string): string[] =>
  addedEntries(before === null ? null : Buffer.from(before), Buffer.from(after));

describe('entries that a change adds to a changelog', () => {
  const OLD = '# Changes\n\n## Unreleased\n\n- Older entry\n  of two lines\n\n## 1.0\n\n- First\n';
  const cases: [string, string, string, string[]][] = [
    ['an item', OLD, OLD.replace('- Older', '- Empty rows are\n  kept\n- Older'), ['Empty rows are kept']],
    ['an item at the end of a section', OLD, OLD.replace('lines\n', 'lines\n- Empty rows\n'), ['Empty rows']],
    [
      'a section of its own',
      '# Changes\n\n## 1.0\n\n- First\n',
      '# Changes\n\n## 1.1 (unreleased)\n\n### Fixed\n\n- Empty rows are kept\n\n## 1.0\n\n- First\n',
      ['Empty rows are kept'],
    ],
    [
      'reStructuredText',
      'Changes\n=======\n\nVersion 1.0\n-----------\n\n*   First\n',
      'Changes\n=======\n\nVersion 1.1\n-----------\n\nUnreleased\n\n*   Empty rows\n    are kept.\n*   Pens write.\n\nVersion 1.0\n-----------\n\n*   First\n',
      ['Empty rows are kept.', 'Pens write.'],
    ],
    ['paragraphs', 'NEWS\n', 'NEWS\n\nEmpty rows are\nkept.\n', ['Empty rows are kept.']],
    ['an item with items', OLD, OLD.replace('- Older', '- Rows:\n  - are kept\n- Older'), ['Rows:\n- are kept']],
    [
      'code is left out',
      OLD,
      OLD.replace('- Older', '- Rows are kept\n\n  ```js\n  x\n  ```\n- Older'),
      ['Rows are kept'],
    ],
    ['a heading without a mark', OLD, OLD.replace('- Older', 'Notable Changes\n\n- Rows stay\n- Older'), ['Rows stay']],
    ['only a longer entry', OLD, OLD.replace('lines', 'lines, now three'), []],
    ['nothing new', OLD, OLD, []],
    ['what goes', OLD, OLD.replace('- First\n', ''), []],
    ['no last line end', '- a b c', '- a b c\n- Empty rows', ['Empty rows']],
  ];
  for (const [name, before, after, expected] of cases)
    test(name, () => assert.deepEqual(entries(before, after), expected));

  test('a release of many entries tells no single change', () => {
    assert.deepEqual(entries(OLD, `${'- An entry of somebody\n'.repeat(30)}${OLD}`), []);
  });

  test('of a file of 50 megabytes only what differs is looked at', () => {
    const old = '- An entry of long ago that nobody reads\n'.repeat(1_300_000);
    assert.deepEqual(entries(`# Changes\n\n${old}`, `# Changes\n\n- Empty rows are kept\n${old}`), [
      'Empty rows are kept',
    ]);
    assert.deepEqual(entries(null, old), []);
  });

  test('what is a changelog', () => {
    for (const path of [
      'CHANGES',
      'CHANGES.rst',
      'docs/changelog.md',
      'History.md',
      'NEWS.txt',
      'packages/a/CHANGELOG.md',
    ])
      assert.match(path, CHANGELOG);
    for (const path of ['lib/changes/apply.js', 'src/exchange.py', 'newsletter.md'])
      assert.doesNotMatch(path, CHANGELOG);
  });
});

describe('fragments', () => {
  test('which files are', () => {
    for (const path of [
      'newsfragments/12.bugfix.rst',
      'changes/12.feature',
      'changelog.d/12.change.md',
      'news/+ab.bugfix.rst',
      'docs/changes/12.rst',
    ])
      assert.equal(fragmentKind(path), 'news fragment', path);
    assert.equal(fragmentKind('.changeset/brave-pens-write.md'), 'changeset');
    for (const path of [
      '.changeset/README.md',
      '.changeset/config.json',
      'newsfragments/12.misc.rst',
      'changes/index.rst',
      'src/changes/apply.py',
      'news/12.doc.rst',
    ])
      assert.equal(fragmentKind(path), null, path);
  });

  test('what they say', () => {
    assert.equal(fragmentText('---\n"@ink/pen": patch\n---\n\nEmpty rows are kept.\n'), 'Empty rows are kept.');
    assert.equal(fragmentText('- Empty rows are kept.\n'), 'Empty rows are kept.');
  });
});

describe('notes of versions', () => {
  const notes = (before: string, after: string): string[] => addedVersionNotes(Buffer.from(before), Buffer.from(after));
  test('in docstrings and pages, those that are new', () => {
    const old = 'def read():\n    """Reads.\n\n    .. versionadded:: 1.0\n    """\n';
    const after = old.replace(
      '    """\n',
      '\n    .. versionchanged:: 2.0\n        Empty rows\n        are kept.\n\n    .. deprecated:: 2.1 Use no ink.\n    """\n',
    );
    assert.deepEqual(notes(old, after), ['Empty rows are kept.', 'Use no ink.']);
    assert.deepEqual(notes(after, after), []);
  });
});

describe('what merges tell', () => {
  test('stands below the first line, or in its place', () => {
    for (const message of [
      'Merge pull request #12 from a/b\n\nKeep empty rows\n',
      "Merge branch 'rows' into 'main'\n\nKeep empty rows\n\nSee merge request a/b!3",
      'Keep empty rows\n\nReviewed-by: A B',
    ])
      assert.equal(mergeText(message), 'Keep empty rows', message);
    assert.equal(mergeText('Merge branch x\n\nKeep rows\n\nThey are lost today.'), 'Keep rows\n\nThey are lost today.');
    for (const message of ["Merge branch 'main' into rows", 'Merge pull request #1 from a/b\n\nConflicts:\n\tx'])
      assert.equal(mergeText(message), null, message);
  });

  test('whether it takes over a line that is maintained', () => {
    for (const message of [
      "Merge branch '8.0.x'",
      "Merge branch 'stable' into main",
      "Merge remote-tracking branch 'upstream/master' into rows",
      "Merge branch 'rows' of code.example:ink/ink",
      "Merge tag 'v4.17.3'",
      'Merge main into rows',
      'Merge pull request #7 from ink/release-2.1',
    ])
      assert.ok(mergesMaintained(message), message);
    for (const message of [
      "Merge branch 'rows' into 'main'",
      'Merge pull request #7 from somebody/main',
      'Merge rows into main',
      'Keep empty rows (#7)',
      "Merge branch 'develop-rows'",
    ])
      assert.ok(!mergesMaintained(message), message);
  });
});
