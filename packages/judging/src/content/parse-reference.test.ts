import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseReference } from './parse-reference.ts';
import { coded } from './testing/store-conformance.ts';

const V1 = 'bafybeie6tn5udxi4mgcgs647xymq6kjnzhwfelnkpii3qeszwl4scvadfy';
const V0 = 'QmVzWaWCDkzWNqAHM7zeVqsaxVAj28JkHp2mX89LPyaoaE';
const HEX = 'ab'.repeat(32);

describe('parseReference', () => {
  const read: [string, object][] = [
    [V1, { kind: 'cid', cid: V1, path: '' }],
    [` ${V0}\n`, { kind: 'cid', cid: V0, path: '' }],
    [`ipfs://${V1}`, { kind: 'cid', cid: V1, path: '' }],
    [`IPFS://${V1}/`, { kind: 'cid', cid: V1, path: '' }],
    [`ipfs://${V0}/a/b%20c.json?download=1#x`, { kind: 'cid', cid: V0, path: 'a/b c.json' }],
    [`ipfs://ipfs/${V1}/a`, { kind: 'cid', cid: V1, path: 'a' }],
    [`/ipfs/${V1}/a//b`, { kind: 'cid', cid: V1, path: 'a/b' }],
    ['https://example.org/s.json?x=1', { kind: 'url', url: 'https://example.org/s.json?x=1' }],
    ['http://0x7f.1/', { kind: 'url', url: 'http://127.0.0.1/' }],
    [`sha256:${HEX.toUpperCase()}`, { kind: 'sha256', sha256: HEX }],
    ['eval:eyJhIjoxfQ==', { kind: 'inline', bytes: Buffer.from('{"a":1}') }],
    ['eval:', { kind: 'inline', bytes: Buffer.alloc(0) }],
    ['standard.json', { kind: 'file', path: 'standard.json' }],
    ['/ipfs.json', { kind: 'file', path: '/ipfs.json' }],
    ['./a b/c', { kind: 'file', path: './a b/c' }],
    [`./${V1}`, { kind: 'file', path: `./${V1}` }],
    ['Qmnotacid', { kind: 'file', path: 'Qmnotacid' }],
    ['file:///tmp/a%20b', { kind: 'file', path: '/tmp/a b' }],
  ];
  for (const [text, reference] of read)
    test(`reads ${JSON.stringify(text.slice(0, 60))}`, () => assert.deepEqual(parseReference(text), reference));

  const refused = [
    '',
    '  ',
    'a\0b',
    'ipfs://',
    'ipfs://nothing',
    `ipfs://${V1}/../x`,
    `ipfs://${V1}/a%2f..`,
    `ipfs://${V1}/%2e%2e/x`,
    `ipfs://${V1}/%zz`,
    'https://',
    'https://user:secret@example.org/',
    'sha256:abc',
    `sha256:${HEX}0`,
    'eval:{"a":1}',
    'ftp://example.org/x',
    'data:text/plain,x',
    'javascript:alert(1)',
    'file://other-host/x',
  ];
  for (const text of refused)
    test(`refuses ${JSON.stringify(text.slice(0, 80))}`, () =>
      assert.throws(() => parseReference(text), coded('CONTENT_REFERENCE_INVALID')));

  test('names what it cannot verify', () => {
    assert.throws(
      () => parseReference('ipfs://bafyreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'),
      coded('CONTENT_UNSUPPORTED'),
    );
  });

  test('shows no credentials', () => {
    assert.throws(
      () => parseReference('https://user:hunter2@example.org/'),
      (error: unknown) => !String(error).includes('hunter2'),
    );
  });
});
