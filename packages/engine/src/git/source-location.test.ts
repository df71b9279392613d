import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { locateSource, nameOfSource, originOfSource, redact } from './source-location.ts';

const nothing = (): boolean => false;
const refused = (error: unknown): boolean => AssayError.is(error) && error.code === 'REPOSITORY_REFUSED';

describe('locateSource', () => {
  for (const [url, name, origin] of [
    ['https://host.example/team/Click.git', 'click', 'https://host.example/team/Click.git'],
    ['http://host.example/x/', 'x', 'http://host.example/x/'],
    ['https://user:word@host.example/a/b?token=1#f', 'b', 'https://host.example/a/b'],
    ['ssh://git@host.example:22/a/b.git', 'b', 'ssh://host.example:22/a/b.git'],
    ['git://host.example/a', 'a', 'git://host.example/a'],
    ['git@host.example:team/my repo.git', 'my-repo', 'git@host.example:team/my repo.git'],
    ['host.example:path', 'path', 'host.example:path'],
  ] as const) {
    test(`${url} is a URL`, () => {
      const location = locateSource(url, nothing);
      assert.deepEqual([location.kind, nameOfSource(location), originOfSource(location)], ['remote', name, origin]);
    });
  }

  test('directories, also with a colon, and file URLs', () => {
    assert.deepEqual(
      locateSource('/a/b:c', () => true),
      { kind: 'local', path: '/a/b:c' },
    );
    assert.deepEqual(locateSource('/a/b', nothing), { kind: 'local', path: '/a/b' });
    assert.deepEqual(locateSource('./b:c', nothing), { kind: 'local', path: `${process.cwd()}/b:c` });
    assert.deepEqual(locateSource('file:///a/b%20c', nothing), { kind: 'local', path: '/a/b c' });
    assert.equal(nameOfSource({ kind: 'local', path: '/a/B/.git' }), 'b');
    assert.equal(nameOfSource({ kind: 'local', path: '/' }), 'repository');
  });

  for (const source of [
    '',
    '-x',
    '--upload-pack=touch /tmp/x',
    '-u/bin/sh',
    'ext::sh -c true',
    'fd::3',
    'persistent-https::x',
    '::x',
    'a::b',
    'ext::https://host.example/x',
    'ftp://host.example/x',
    'rsync://host.example/x',
    'javascript://x',
    'EXT://x',
    'ssh://-oProxyCommand=true/x',
    'ssh://-oProxyCommand=true@host.example/x',
    'ssh://%2doProxyCommand=true@host.example/x',
    '-oProxyCommand=true:x',
    'user@-oProxyCommand=true:x',
    '-l@host.example:x',
    'host.example:-x',
    'https://',
    'https:///x',
    'https://host.example/a\nb',
    'https://host.example/%0ab',
    'a\0b',
    'git://host.example/\u001b[31m',
    'file://elsewhere.example/x',
    'file:///a%00b',
    'https://[bad/x',
  ]) {
    test(`${JSON.stringify(source)} is refused`, () => assert.throws(() => locateSource(source, nothing), refused));
  }

  test('a refusal shows neither credentials nor control characters', () => {
    for (const source of ['ftp://user:hunter2@host.example/x', 'https://user:hunter2@host.example/\u001b]0;x\u0007']) {
      assert.throws(
        () => locateSource(source, nothing),
        (error) => error instanceof Error && !/hunter2|\p{Cc}/u.test(error.message),
      );
    }
  });
});

describe('redact', () => {
  test('takes credentials out of any text', () => {
    assert.equal(
      redact("fatal: unable to access 'https://u:p@host.example/x/?a=b': no"),
      "fatal: unable to access 'https://host.example/x/': no",
    );
    assert.equal(redact('https://u:p@ss@host.example/x'), 'https://host.example/x');
    assert.equal(redact('see http://host.example/a@b'), 'see http://host.example/a@b');
  });
});
