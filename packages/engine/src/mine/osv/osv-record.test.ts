import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { MAX_RECORD_BYTES, parseOsv } from './osv-record.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const record = (more: object = {}): Record<string, unknown> => ({
  id: 'GHSA-aaaa-bbbb-cccc',
  modified: '2031-01-01T00:00:00Z',
  ...more,
});
const git = (repo: unknown, ...events: unknown[]): object => ({
  affected: [{ ranges: [{ type: 'GIT', repo, events }] }],
});
const refusal = (text: string): AssayError => {
  try {
    parseOsv(text, 'advisory.json');
  } catch (error) {
    assert.ok(AssayError.is(error), String(error));
    assert.equal(error.code, 'ADVISORY_INVALID');
    assert.doesNotMatch(error.message, /\n/);
    assert.match(error.message, /^advisory\.json is no usable OSV record: /);
    return error;
  }
  return assert.fail('it was taken');
};

describe('parseOsv', () => {
  test('reads what is used of a record, and lets the rest pass', () => {
    const [read] = parseOsv(
      JSON.stringify(
        record({
          schema_version: '1.7.0',
          aliases: ['CVE-2031-1'],
          summary: 's',
          details: 'd',
          severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }],
          credits: [{ name: 'A Person', type: 'FINDER' }],
          affected: [
            {
              package: { ecosystem: 'PyPI', name: 'inkpot', purl: 'pkg:pypi/inkpot' },
              versions: ['1.0'],
              ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2' }] }],
              database_specific: { x: 1 },
            },
          ],
          references: [{ type: 'FIX', url: `https://github.com/a/b/commit/${COMMIT}` }],
          database_specific: { severity: 'HIGH' },
        }),
      ),
      'x',
    );
    assert.deepEqual(read, {
      schema_version: '1.7.0',
      id: 'GHSA-aaaa-bbbb-cccc',
      aliases: ['CVE-2031-1'],
      summary: 's',
      details: 'd',
      credits: [{ name: 'A Person' }],
      affected: [
        {
          package: { ecosystem: 'PyPI', name: 'inkpot' },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2' }] }],
        },
      ],
      references: [{ type: 'FIX', url: `https://github.com/a/b/commit/${COMMIT}` }],
    });
  });

  test('one record, several, and the answer of a service', () => {
    assert.equal(parseOsv(JSON.stringify(record()), 'x').length, 1);
    assert.equal(parseOsv(JSON.stringify([record(), record()]), 'x').length, 2);
    assert.equal(parseOsv(JSON.stringify({ vulns: [record()], next_page_token: 'n' }), 'x').length, 1);
    assert.deepEqual(parseOsv('{"vulns": []}', 'x'), []);
    assert.deepEqual(
      parseOsv(
        JSON.stringify(record({ aliases: null, summary: null, affected: [{ package: null, ranges: null }] })),
        'x',
      )[0]?.aliases,
      [],
    );
  });

  test('a GIT range with an address and commits is good', () => {
    for (const repo of [
      'https://github.com/a/b',
      'https://github.com/a/b.git',
      'git://host.dev/b',
      'ssh://git@host.dev/a/b',
      'git@host.dev:a/b.git',
    ]) {
      assert.equal(
        parseOsv(JSON.stringify(record(git(repo, { introduced: '0' }, { fixed: COMMIT }))), 'x').length,
        1,
        repo,
      );
    }
  });

  const addresses = [
    'ext::sh -c "touch /tmp/owned"',
    'ext::https://github.com/a/b',
    '--upload-pack=touch',
    '-oProxyCommand=x',
    'file:///etc',
    '/etc/passwd',
    '../..',
    '',
    'https://',
    'https://-x/a',
    'javascript:alert(1)',
    'https://github.com/a/b\n',
    'https://github.com/a\0b',
    'fd::7',
    'https://h.dev\\@evil.dev/a',
    null,
    7,
    {},
  ];
  for (const repo of addresses)
    test(`refuses the repository ${JSON.stringify(repo)}`, () =>
      void refusal(JSON.stringify(record(git(repo, { fixed: COMMIT })))));

  const events = [
    { fixed: '--upload-pack=touch /tmp/owned' },
    { introduced: '-x' },
    { fixed: 'HEAD' },
    { fixed: 'main~1' },
    { fixed: `${COMMIT}\n` },
    { fixed: `${COMMIT}^{/x}` },
    { fixed: `--${COMMIT}` },
    { limit: '@{-1}' },
    { fixed: 'abc\0def1' },
    { fixed: '' },
    { fixed: 1 },
    'fixed',
  ];
  for (const event of events)
    test(`refuses the event ${JSON.stringify(event)} of a GIT range`, () =>
      void refusal(JSON.stringify(record(git('https://github.com/a/b', event)))));

  const malformed: [string, string][] = [
    ['no JSON', 'id: x'],
    ['an empty file', ''],
    ['a word', '"text"'],
    ['null', 'null'],
    ['a number', '1'],
    ['no id', '{}'],
    ['half a record', '{"id": "GHSA-aaaa'],
    ['an id that is an option', JSON.stringify(record({ id: '--output=/etc/x' }))],
    ['an id with a path', JSON.stringify(record({ id: '../../x' }))],
    ['an id with NUL', JSON.stringify(record({ id: 'CVE-1\0-2' }))],
    ['a number as id', JSON.stringify(record({ id: 7 }))],
    ['text as aliases', JSON.stringify(record({ aliases: 'CVE-1' }))],
    ['an object as details', JSON.stringify(record({ details: {} }))],
    ['an alias that is none', JSON.stringify(record({ aliases: ['a b'] }))],
    ['a list as references', JSON.stringify(record({ references: [[]] }))],
    ['another schema', JSON.stringify(record({ schema_version: '2.0.0' }))],
    ['one bad record of two', JSON.stringify([record(), { id: 1 }])],
    ['too many aliases', JSON.stringify(record({ aliases: Array(501).fill('CVE-1-1') }))],
    ['a huge record', JSON.stringify(record({ details: 'x', more: 'x'.repeat(MAX_RECORD_BYTES) }))],
    ['huge details', JSON.stringify(record({ details: 'x'.repeat(1024 * 1024 + 1) }))],
    ['a record nested without end', `{"id":"CVE-1-1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['brackets that never close', '['.repeat(5_000_000)],
    ['a key of the prototype', '{"__proto__": {"id": "CVE-1-1"}}'],
  ];
  for (const [name, text] of malformed) test(`refuses ${name}`, () => void refusal(text));

  test('brackets and escapes inside of texts are no depth', () => {
    assert.equal(
      parseOsv(JSON.stringify(record({ details: `${'['.repeat(500)}"\\${'{'.repeat(500)}` })), 'x').length,
      1,
    );
  });

  test('says where, and shows no control character of a record', () => {
    assert.match(
      refusal(JSON.stringify([record(), record({ references: [{ type: 'FIX' }] })])).message,
      /: 1\.references\.0\.url: /,
    );
    assert.doesNotMatch(refusal(JSON.stringify(record({ id: '\u001b[31m' }))).message, /\p{Cc}/u);
  });
});
