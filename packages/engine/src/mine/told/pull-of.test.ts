import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closedBy } from './closing.ts';
import { pullOf } from './pull-of.ts';

const MESSAGES: [string, string, number | null][] = [
  ['a merge of GitHub', 'Merge pull request #12 from ink/pot\n\nKeep rows', 12],
  ['a squash', 'Keep rows (#12)\n\n* one (#3)\n* two', 12],
  ['a squash of a fork', 'Keep rows (ink/pot#12)', 12],
  ['a squash of GitLab', 'Keep rows (!12)', 12],
  [
    'a merge of GitLab',
    "Merge branch 'rows' into 'main'\n\nKeep rows\n\nCloses #3\n\nSee merge request ink/sub/pot!12",
    12,
  ],
  ['one of long ago', "Merge branch 'rows' into 'main'\n\nSee merge request !12", 12],
  ['a squash of Forgejo', 'Keep rows\n\nReviewed-on: https://code.example/ink/pot/pulls/12\nReviewed-by: x <x@y>', 12],
  ['a merge of Gitea', "Merge pull request 'Keep (all) rows' (#12) from rows into main", 12],
  ['a merge of Bitbucket', 'Merged in rows (pull request #12)', 12],
  ['a revert, by its own number', 'Revert "Keep rows (#12)" (#13)', 13],
  ['a revert without one', 'Revert "Keep rows (#12)"', null],
  ['an issue that is mentioned', 'Keep rows, as #12 says', null],
  ['another review', 'Keep rows\n\nReviewed-on: https://review.example/c/pot/+/12', null],
  ['zero', 'Keep rows (#0)', null],
];
describe('the pull request that a message names', () => {
  for (const [name, message, number] of MESSAGES) test(name, () => assert.equal(pullOf(message), number));
});

const OWN = 'code.example/ink/pot';
const TEXTS: [string, string, number[]][] = [
  ['words of several forms', 'Fixes: #3, closes #4 and Resolves GH-5.', [3, 4, 5]],
  ['a list', 'Closes #1, #2 and #3', [1, 2, 3]],
  ['by the name of the repository', 'fixes ink/pot#3, fixes ink/other#4', [3]],
  ['by address', 'Closes https://code.example/ink/pot/issues/3 and fixes https://code.example/ink/pen/issues/4', [3]],
  ['by an address of GitLab', 'Implements https://code.example/ink/pot/-/issues/3', [3]],
  ['a link', 'Fixes [#3](https://code.example/ink/pot/issues/3)', [3]],
  ['not what is only mentioned', 'See #3, part of #4, the prefix #5, unfixes #6', []],
  ['not what a template says', '<!-- Closes #3 -->', []],
];
describe('the issues that a text closes', () => {
  for (const [name, text, numbers] of TEXTS) test(name, () => assert.deepEqual(closedBy(text, OWN), numbers));
  test('only numbers count where the repository is not known', () =>
    assert.deepEqual(closedBy('Fixes #1, fixes ink/pot#2', null), [1]));
});
