import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freezeFiles, versionOf } from './freeze-files.ts';
import { parseInstant, type IndexFile } from './index-file.ts';
import { parseIndex } from './parse-index.ts';
import { preferredType } from './render-index.ts';

test('versionOf reads the version of a project out of its own file names only', () => {
  const cases: Array<[project: string, filename: string, version: string | null]> = [
    ['six', 'six-1.12.0-py2.py3-none-any.whl', '1.12.0'],
    ['six', 'six-1.12.0.tar.gz', '1.12.0'],
    ['pyyaml', 'PyYAML-6.0b1-cp36-cp36m-win_amd64.whl', '6.0b1'],
    ['foo-bar', 'foo_bar-1.0-1-py3-none-any.whl', '1.0'],
    ['foo-bar', 'foo-bar-1.0.zip', '1.0'],
    ['foo-bar', 'foo.bar-1.0+local.1.tar.bz2', '1.0+local.1'],
    ['foo', 'foo-bar-1.0.tar.gz', null],
    ['foo', 'foo_bar-1.0-py3-none-any.whl', null],
    ['foo', 'foo-1.0.exe', null],
    ['foo', 'foo-1.0-py2.7.egg', null],
    ['foo', 'foo-1.0.whl', null],
    ['foo', 'foo.tar.gz', null],
    ['a-2', 'a-2-1.0.tar.gz', '1.0'],
  ];
  for (const [project, filename, version] of cases) assert.equal(versionOf(project, filename), version, filename);
});

test('a file counts by its own time, to the instant, and only with a hash that can be trusted', () => {
  const file = (
    filename: string,
    uploadedAt: string | null,
    hashes: Record<string, string> = { sha256: 'a'.repeat(64) },
  ): IndexFile => ({
    filename,
    hashes,
    url: new URL('http://x/'),
    requiresPython: null,
    yanked: null,
    uploadedAt: parseInstant(uploadedAt),
    metadata: null,
    size: null,
  });
  const files = [
    file('p-1.tar.gz', '2020-01-01T00:00:00Z'),
    file('p-2.tar.gz', '2020-01-01T00:00:00.001Z'),
    file('p-3.tar.gz', null),
    file('p-4.tar.gz', 'yesterday'),
    file('p-5.tar.gz', '2019-01-01T00:00:00Z', { md5: 'a'.repeat(32) }),
    file('p-6.tar.gz', '2019-01-01T00:00:00Z', { sha1: 'a'.repeat(40) }),
    file('p-7.tar.gz', '2019-01-01T00:00:00Z', {}),
    file('p-8.tar.gz', '2019-01-01T00:00:00Z', { sha256: 'short' }),
    file('../p-9.tar.gz', '2019-01-01T00:00:00Z'),
    file('p-10.tar.gz', '2020-01-01T01:00:00+01:00'),
  ];
  const visible = (cutoff: Date | null) => freezeFiles('p', files, cutoff).map((entry) => entry.version);
  assert.deepEqual(visible(new Date('2020-01-01T00:00:00Z')), ['1', '10']);
  assert.deepEqual(visible(null), ['1', '2', '3', '4', '10']);
});

test('a page is read by what it is: entities, odd quotes, relative addresses, a base', () => {
  const html = `<html><head><base href="../../f/"></head><a HREF='a-1.0.tar.gz#sha256=${'A'.repeat(64)}' data-requires-python="&gt;=3.8,&#60;4" data-yanked>a-1.0.tar.gz</a>
    <a href=https://files.invalid/a-1.1.tar.gz data-dist-info-metadata=true>
      a-1.1.tar.gz </A><a href="javascript:alert(1)">a-1.2.tar.gz</a><a>none</a>`;
  const files = parseIndex({
    body: Buffer.from(html),
    contentType: 'text/html',
    url: new URL('http://index.invalid/simple/a/'),
  });
  assert.deepEqual(
    files.map((file) => [file.filename, file.url.href, file.requiresPython, file.yanked, file.metadata]),
    [
      ['a-1.0.tar.gz', 'http://index.invalid/f/a-1.0.tar.gz', '>=3.8,<4', '', null],
      ['a-1.1.tar.gz', 'https://files.invalid/a-1.1.tar.gz', null, null, {}],
    ],
  );
  assert.equal(files[0]?.hashes['sha256'], 'a'.repeat(64));
  assert.throws(
    () =>
      parseIndex({
        body: Buffer.from('{'),
        contentType: 'application/vnd.pypi.simple.v1+json',
        url: new URL('http://x/'),
      }),
    { code: 'LANE_FAILED' },
  );
});

test('an instant without a zone is UTC', () => {
  assert.equal(parseInstant('2020-01-01T00:00:00')?.toISOString(), '2020-01-01T00:00:00.000Z');
  assert.equal(parseInstant('2020-01-01 00:00:00')?.toISOString(), '2020-01-01T00:00:00.000Z');
  assert.equal(parseInstant('never'), null);
});

test('the form is the one that the client prefers', () => {
  const json = 'application/vnd.pypi.simple.v1+json';
  assert.equal(preferredType(`${json}, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01`), json);
  assert.equal(preferredType(`text/html, ${json};q=0.2`), 'text/html');
  assert.equal(preferredType('*/*'), 'text/html');
});
