import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSignatureType } from './type-signature.ts';

describe('types of a signature', () => {
  test('simple ones, and those that wrap another', () => {
    assert.deepEqual(parseSignatureType('i64'), { kind: 'i64' });
    assert.deepEqual(parseSignatureType(' list< map<optional<string>> > '), {
      kind: 'list',
      of: { kind: 'map', of: { kind: 'optional', of: { kind: 'string' } } },
    });
    for (const name of ['bool', 'f64', 'string', 'list<bool>', 'map<f64>', 'list<list<i64>>'])
      assert.ok(parseSignatureType(name), name);
  });

  test('what is none', () => {
    const none = [
      '',
      'int',
      'I64',
      'list',
      'list<',
      'list<>',
      'list<i64',
      'list<i64>>',
      'i64>',
      'list<i64> x',
      'set<i64>',
    ];
    for (const text of [...none, 'map<string, i64>', 'list<i64, i64>', 'optional<optional<i64>>'])
      assert.equal(parseSignatureType(text), null, text);
  });

  test('eight levels and no more; a very long text ends soon', () => {
    const nested = (depth: number): string => `${'list<'.repeat(depth)}i64${'>'.repeat(depth)}`;
    assert.ok(parseSignatureType(nested(8)));
    assert.equal(parseSignatureType(nested(9)), null);
    assert.equal(parseSignatureType(nested(100_000)), null);
  });
});
