import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeLink, repositoryKey } from './repository-key.ts';

test('every spelling of one repository has one key', () => {
  const spellings = [
    'https://github.com/Ink/Pot',
    'http://github.com/ink/pot/',
    'https://www.github.com/ink/pot.git',
    'git://github.com/ink/pot.git/',
    'ssh://git@github.com/ink/pot',
    'git@github.com:ink/pot.git',
    'git+https://github.com/ink/pot.git',
    'https://someone:secret@github.com/ink/pot?tab=readme#top',
    'https://GITHUB.com:443/ink//pot',
  ];
  for (const spelling of spellings) assert.equal(repositoryKey(spelling), 'github.com/ink/pot', spelling);
});

test('different repositories have different keys', () => {
  const keys = [
    'https://github.com/ink/pot',
    'https://github.com/ink/pots',
    'https://gitlab.com/ink/pot',
    'https://github.com/ink/pot/sub',
    'https://github.com:8443/ink/pot',
  ].map(repositoryKey);
  assert.equal(new Set(keys).size, keys.length);
  assert.ok(!keys.includes(null));
});

test('what is no address has no key', () => {
  for (const text of [
    'ext::sh -c x',
    'ext::https://github.com/a/b',
    '--upload-pack=x',
    '-x@host.dev:a',
    'file:///a/b',
    '/a/b',
    'a/b',
    '',
    'https://github.com',
    'https://github.com/a b',
    'https://github.com/a\0b',
    `https://github.com/${'a'.repeat(3000)}`,
    'C:\\a',
    'local:pot',
  ]) {
    assert.equal(repositoryKey(text), null, text);
  }
});

test('links of code hosts', () => {
  const repository = 'github.com/ink/pot';
  assert.deepEqual(codeLink('https://github.com/ink/pot/commit/0123abcd'), { repository, commit: '0123abcd' });
  assert.deepEqual(codeLink('https://github.com/Ink/Pot/commits/0123ABCD.patch'), { repository, commit: '0123abcd' });
  assert.deepEqual(codeLink('https://github.com/ink/pot/pull/12/commits/0123abcd'), { repository, commit: '0123abcd' });
  assert.deepEqual(codeLink('https://github.com/ink/pot/pull/12/files'), { repository, pull: 12 });
  assert.deepEqual(codeLink('https://gitlab.com/group/sub/pot/-/merge_requests/7'), {
    repository: 'gitlab.com/group/sub/pot',
    pull: 7,
  });
  assert.deepEqual(codeLink('https://gitlab.com/ink/pot/-/commit/0123abcd'), {
    repository: 'gitlab.com/ink/pot',
    commit: '0123abcd',
  });
  for (const other of [
    'https://github.com/ink/pot',
    'https://github.com/ink/pot/issues/4',
    'https://github.com/ink/pot/commit/--help',
    'https://github.com/ink/pot/commit/main',
    'https://github.com/commit/0123abcd',
    'ext::x/commit/0123abcd',
    'https://github.com/ink/pot/pull/99999999999',
  ]) {
    assert.equal(codeLink(other), null, other);
  }
});
