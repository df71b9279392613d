import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identifiersOf, mergeAliases, wordsOf } from './merge-aliases.ts';
import { parseOsv, type OsvRecord } from './osv-record.ts';

const record = (id: string, more: object = {}): OsvRecord => {
  const [parsed] = parseOsv(JSON.stringify({ id, ...more }), id);
  assert.ok(parsed);
  return parsed;
};

test('records that meet by an id or an alias, also over a third, are one', () => {
  const merged = mergeAliases([
    record('GHSA-1111-1111-1111', { aliases: ['CVE-2031-1'] }),
    record('CVE-2031-2'),
    record('PYSEC-2031-9', { aliases: ['CVE-2031-1', 'BIT-x-1'] }),
    record('CVE-2031-1'),
    record('BIT-x-1'),
    record('GHSA-2222-2222-2222', { aliases: ['cve-2031-2'] }),
  ]);
  assert.deepEqual(
    merged.map(({ records }) => records.map(({ id }) => id).sort()),
    [
      ['BIT-x-1', 'CVE-2031-1', 'GHSA-1111-1111-1111', 'PYSEC-2031-9'],
      ['CVE-2031-2', 'GHSA-2222-2222-2222'],
    ],
  );
  assert.deepEqual(merged[0]?.ids, ['BIT-x-1', 'CVE-2031-1', 'GHSA-1111-1111-1111', 'PYSEC-2031-9']);
});

test('thousands of records in a chain', () => {
  assert.equal(
    mergeAliases(
      Array.from({ length: 5000 }, (_, index) => record(`CVE-1-${index}`, { aliases: [`CVE-1-${index + 1}`] })),
    ).length,
    1,
  );
});

test('the words are those of the record that has a summary, then of the longest', () => {
  const [advisory] = mergeAliases([
    record('PYSEC-1-1', { aliases: ['CVE-1-1'], details: 'a very long text' }),
    record('GHSA-1', { aliases: ['CVE-1-1'], summary: 'Short', details: 'text' }),
    record('CVE-1-1', { summary: 'S', details: 'a long text' }),
  ]);
  assert.deepEqual(advisory && wordsOf(advisory), { summary: 'S', details: 'a long text' });
});

test('what an advisory names', () => {
  const [advisory] = mergeAliases([
    record('CVE-1-1', {
      aliases: ['GHSA-1'],
      credits: [{ name: 'Grace Example' }],
      affected: [
        {
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '4.5' }, { last_affected: '4.4.1' }] }],
        },
      ],
    }),
  ]);
  assert.deepEqual(advisory && identifiersOf(advisory).sort(), ['4.4.1', '4.5', 'CVE-1-1', 'GHSA-1', 'Grace Example']);
});
