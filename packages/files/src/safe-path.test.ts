import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { assertSafePath, unsafePathReason } from './safe-path.ts';

describe('unsafePathReason', () => {
  const safe = [
    'a',
    'a/b.c',
    '.github/x',
    '.gitignore',
    '.gitattributes',
    'gitk',
    'a b/ü/日本',
    'quote"d',
    "it's",
    'tab\there',
    'new\nline',
    'back\\slash',
    '...',
    '.a',
    'a..b',
    'x.git',
    '.git2',
    '-rf',
    '*',
    'con',
    `${'a'.repeat(255)}/b`,
  ];
  for (const path of safe)
    test(`takes ${JSON.stringify(path.slice(0, 20))}`, () => assert.equal(unsafePathReason(path), null));

  const unsafe = [
    '',
    '/',
    '/etc/passwd',
    '.',
    '..',
    './a',
    '../a',
    'a/..',
    'a/../b',
    'a//b',
    'a/',
    'nul\0',
    'lone\ud800',
    'a'.repeat(256),
    'ab/'.repeat(1500) + 'a',
    '.git',
    '.GIT/config',
    'a/.Git/hooks/x',
    '.git ',
    '.git.',
    '.git. . ',
    'git~1',
    'GIT~1/config',
    '.git::$INDEX_ALLOCATION',
    '.git:x/config',
    '.g\u200cit/config',
    '\ufeff.git',
    '.git\\config',
    '..\\up',
    'a\\..\\b',
  ];
  for (const path of unsafe) {
    test(`refuses ${JSON.stringify(path.slice(0, 20))}`, () => {
      assert.notEqual(unsafePathReason(path), null);
      assert.throws(
        () => assertSafePath(path),
        (error) => AssayError.is(error) && error.code === 'UNSAFE_PATH',
      );
    });
  }

  test('git data pass where Assay made the tree, and nothing else more does', () => {
    assert.equal(unsafePathReason('.git/config', { git: true }), null);
    assert.notEqual(unsafePathReason('.git/../x', { git: true }), null);
  });
});
