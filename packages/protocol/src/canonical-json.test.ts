import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalJson } from './canonical-json.ts';

describe('canonical JSON', () => {
  test('sorts keys by UTF-16 code units at every depth, and keeps the order of arrays', () => {
    assert.equal(canonicalJson({ b: [{ d: 1, c: 2 }, 3], a: {} }), '{"a":{},"b":[{"c":2,"d":1},3]}');
    // The example of RFC 8785, 3.2.3.
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    assert.deepEqual(Object.keys(JSON.parse(text)), ['1', '\r', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33']);
  });

  test('writes numbers as ECMAScript does', () => {
    assert.equal(
      canonicalJson([1e21, 1e-7, -0, 0.1, Number('333333333.33333329')]),
      '[1e+21,1e-7,0,0.1,333333333.3333333]',
    );
  });

  test('escapes as little as JSON allows', () => {
    assert.equal(canonicalJson('€$\u000f\nA\'B"\\"/'), String.raw`"€$\u000f\nA'B\"\\\"/"`);
  });

  test('leaves out undefined members, and takes undefined items for null', () => {
    assert.equal(canonicalJson({ a: undefined, b: [undefined] }), '{"b":[null]}');
  });

  test('refuses what JSON lacks', () => {
    for (const value of [Number.NaN, -Infinity, 1n, () => 0, Symbol('s'), undefined, [Number.NaN]])
      assert.throws(() => canonicalJson(value), TypeError);
  });
});
