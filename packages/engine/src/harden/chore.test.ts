import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { choreOf } from './chore.ts';

const CERTAIN: Record<string, string> = {
  '2.4.1': 'a release',
  'Bump version to 2.4': 'a release',
  'Prepare the 3.0 release': 'a release',
  'chore(release): 1.2.0': 'a release',
  'build(deps): bump ink from 1.0 to 1.1': 'a change of dependencies',
  'Bump ink from 1.0 to 1.1': 'a change of dependencies',
  'update dev dependencies': 'a change of dependencies',
  '[Dev Deps] update `paper`': 'a change of dependencies',
  'Upgrade to ink@2.0.0 (#12)': 'a change of dependencies',
  'Drop end of life Python versions': 'a change of the platforms that are supported',
  'Remove support for Python 3.8': 'a change of the platforms that are supported',
  'Require Node.js 20': 'a change of the platforms that are supported',
  'docs: say more of pens': 'documentation',
  'Fix typos in the docs of the parser': 'documentation',
  'Add missing docstrings': 'documentation',
  'Add more tests for empty rows': 'tests alone',
  'fix: skip flaky tests on Windows': 'tests alone',
  'ci: cache wheels': 'continuous integration',
  'quick fix for the py27 ci': 'continuous integration',
  'Set minimum version to 3.10': 'a change of the platforms that are supported',
  'skip 3.9 for now': 'tests alone',
  'Skip the exact comparison of rows in python3.13+': 'tests alone',
  'Check `PENS` usage, colours and edge-cases': 'tests alone',
  'Add edge-cases of paths, verify behavior of `split`': 'tests alone',
  "Cover RowSet.__ge__'s second branch": 'tests alone',
  'Add comprehensive tests for rows that are empty': 'tests alone',
  'Add first_row and last_row to docs/api.rst': 'documentation',
  'Add doc-strings and proper names of rows': 'documentation',
  'Drop support for 3.8, which is near its end': 'a change of the platforms that are supported',
  'Added support for Python 3.14': 'a change of the platforms that are supported',
  'Drop old nodes': 'a change of the platforms that are supported',
  'Enable the rest of the rulesets': 'formatting or lint',
  'Enable style rules which catch imports': 'formatting or lint',
  'Automated changes by modernize': 'formatting or lint',
  'Achieve 100% test coverage': 'tests alone',
  'Split docs into pages': 'documentation',
  'Also updated reader.py and linted so that it fits with PEP8': 'formatting or lint',
  'Test against Python 3.14-dev on CI': 'continuous integration',
  'Add more cases to show rows': 'tests alone',
  'Experimenting with rows of many kinds': 'a chore',
  'Deleting envs from .gitignore': 'a chore',
  'Run CI on pull requests': 'continuous integration',
  Lint: 'formatting or lint',
  'Fix issues that ruff found': 'formatting or lint',
  'style: one space more': 'formatting or lint',
  'Revert "Keep empty rows"': 'a revert',
  "Merge branch 'main' into pens": 'a merge',
};
const UNCERTAIN: Record<string, string> = {
  'Refactor the pager': 'refactoring',
  'refactor(pens): one class less': 'refactoring',
  'Remove unused imports': 'refactoring',
  'Add type annotations': 'types alone',
  '`ColumnType` typing improvements': 'types alone',
  'Failing test for a row too many': 'tests alone',
  'Fix the TypeScript type for `.row()`': 'types alone',
  'Add Row.pens to TypeScript': 'types alone',
  'Fix row() return type': 'types alone',
  'Migrate to inkpot for the reader': 'refactoring',
  'Move reading of rows to a (private) reader method': 'refactoring',
  'Comment out the new check until later': 'refactoring',
  'Create class for each row type': 'refactoring',
  'Faster `sortedRows` using a table': 'performance alone',
  'Make reading significantly faster': 'performance alone',
  'Filter out empty rows more efficiently': 'performance alone',
  'More folding of rows for performance': 'performance alone',
  'Pre-optimize rows prior to reading': 'performance alone',
  'Replace deprecated String.prototype.substr()': 'refactoring',
  'Move `pens` into a separate package that gets installed': 'refactoring',
  'Harmonize APIs and implementations of readers': 'refactoring',
  'Consistent use of the "most" formal parameter': 'refactoring',
  'Load commands lazily': 'performance alone',
  'perf: read rows lazily': 'performance alone',
  'Speed up reading of rows': 'performance alone',
};
const BEHAVIOUR = [
  'fix(version): reject rows that are no text',
  'feat(format): accept rows without an end',
  'Move rows to a new file when the old one is full',
  'Move the file of rows to the right directory when it is saved',
  'Adding feature ignoreEmptyRows with tests',
  'Fix issue #3 and add proper unit test',
  'Move rows to the end of the file',
  'Add support for rows of 3.5 inches',
  'Check that a row is no list before it is read',
  'Skip rows on Windows that only Python 3 writes',
  'Cover the whole row with the brush',
  'Fix a build of tables that never ends',
  'Add rows of docs to the index of a search',
  'Fix release of the lock when the writer dies',
  'Fix merge of a dict into a list',
  'Handle empty responses',
  'Document is closed twice when the node is removed',
  'Update dependency ranges of workspaces without a version',
  'Fix parsing of comments in style sheets',
  'Remove leading slash when reading Windows file URLs',
  'Split values of several parts for options of several values',
  'Test client keeps cookies of a redirect',
  'fix: add tests to the summary when none failed',
  'Revert to the last good row when a write fails',
  'Deprecate `Pen.fill` and document what replaces it',
  'Convert numbers of several digits with a comma',
  'ESLint plugin crashes on an empty file',
  'Allow types to be given by name',
];

describe('what kind of chore a commit says it is', () => {
  for (const [subject, kind] of Object.entries(CERTAIN))
    test(subject, () => assert.deepEqual(choreOf(subject), { kind, certain: true }));
  for (const [subject, kind] of Object.entries(UNCERTAIN))
    test(subject, () => assert.deepEqual(choreOf(subject), { kind, certain: false }));
  for (const subject of BEHAVIOUR) test(`none: ${subject}`, () => assert.equal(choreOf(subject), null));

  test('a typo in code that fails because of it is no matter of documentation', () => {
    assert.equal(choreOf('Fix issupserset typo in RowSet\n\nIt does not exist, raising AttributeError.'), null);
    assert.equal(choreOf('Fix typos\n\nIn comments of the reader.')?.kind, 'documentation');
  });

  test('a message that says nothing changes for users', () => {
    const text = 'Give prompts one type\n\nThe result is of that type. Runtime behavior is unchanged.';
    assert.deepEqual(choreOf(text), { kind: 'refactoring', certain: true });
    assert.deepEqual(choreOf('Read rows by line\n\nNo functional changes intended.')?.certain, true);
    assert.equal(choreOf('Keep empty rows\n\nThere is no behavior change for other rows.'), null);
  });

  test('a hostile subject takes no time', () => {
    for (const piece of ['add a ', 'fix ', '[', 'a: ', '#1, ', 'update docs ', 'bump x from ', '- '])
      choreOf(piece.repeat(20_000));
  });
});
