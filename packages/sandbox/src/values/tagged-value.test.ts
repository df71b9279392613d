import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { QuickJSProvider } from '../providers/quickjs/quickjs-provider.ts';
import { firstDifference } from './compare-values.ts';
import { sampleValue, seededRandom } from './sample-values.fixture.ts';
import { fromTagged, parseTagged, TAGS, toTagged, VALUE_LIMITS, type Tagged } from './tagged-value.ts';

const SAMPLES = Array.from({ length: 400 }, (_, seed) => sampleValue(seededRandom(seed)));

describe('values as tagged JSON', () => {
  test('each kind has its form', () => {
    class Own {
      a = 1;
    }
    const rows: [unknown, Tagged][] = [
      [{ a: [1, 'x', true, null] }, { a: [1, 'x', true, null] }],
      [undefined, { $type: 'undefined' }],
      [Object.assign(new Array(2), { 1: 5 }), [{ $type: 'hole' }, 5]],
      [-0, { $type: 'number', value: '-0' }],
      [Number.NaN, { $type: 'number', value: 'NaN' }],
      [Number.NEGATIVE_INFINITY, { $type: 'number', value: '-Infinity' }],
      [12n, { $type: 'bigint', value: '12' }],
      [new Date(0), { $type: 'date', value: '1970-01-01T00:00:00.000Z' }],
      [new Date(Number.NaN), { $type: 'date', value: null }],
      [new Map([[1, 'a']]), { $type: 'map', entries: [[1, 'a']] }],
      [new Set([1]), { $type: 'set', values: [1] }],
      [new Uint8Array([1, 2, 255]), { $type: 'bytes', value: 'AQL/' }],
      [new Int16Array([-1]), { $type: 'typed-array', name: 'Int16Array', values: [-1] }],
      [/a\/b/gi, { $type: 'regexp', source: 'a\\/b', flags: 'gi' }],
      [new RangeError('no'), { $type: 'error', name: 'RangeError', message: 'no' }],
      [{ $type: 'mine' }, { $type: 'object', entries: [['$type', 'mine']] }],
      [new Own(), { $type: 'instance', class: 'Own', base: 'object', entries: [['a', 1]] }],
      [Symbol('s'), { $type: 'symbol', value: 's' }],
      [Math.max, { $type: 'function', name: 'max' }],
      [
        {
          get a() {
            throw new Error('ran');
          },
        },
        { a: { $type: 'accessor' } },
      ],
      [Object.defineProperty({}, 'a', { value: 1 }), { $type: 'exotic', why: 'an object with hidden properties' }],
      [{ [Symbol.iterator]: 1 }, { $type: 'exotic', why: 'an object with symbols as keys' }],
      [Object.assign([1], { a: 1 }), { $type: 'exotic', why: 'an array with further properties' }],
    ].map(([value, tagged]) => [value, tagged as Tagged]);
    for (const [value, tagged] of rows) assert.deepEqual(toTagged(value), tagged);
    const self: unknown[] = [];
    self.push([self]);
    assert.deepEqual(toTagged(self), [[{ $type: 'cycle', up: 2 }]]);
  });

  test('what is tagged in a document stays as it is, among live values', () => {
    const document = [
      { $type: 'bigint', value: '12' },
      { $type: 'set', values: [1] },
      { $type: 'object', entries: [['$type', 'set']] },
      { $type: 'tuple', values: [{ $type: 'decimal', value: '1.50' }] },
    ];
    assert.deepEqual(toTagged(document), document);
    assert.deepEqual(toTagged({ $type: 'object', entries: [['a', 1]] }), { a: 1 });
    assert.throws(() => toTagged({ $type: 'bigint', value: 'twelve' }), TypeError);
    assert.throws(() => toTagged([{ $type: 'map', entries: [1] }]), TypeError);
  });

  test('there and back is the same', () => {
    for (const [seed, value] of SAMPLES.entries()) {
      const tagged = toTagged(value);
      assert.deepEqual(toTagged(fromTagged(tagged)), tagged, `seed ${seed}`);
      assert.deepEqual(parseTagged(JSON.stringify(tagged)), tagged, `seed ${seed}`);
      assert.equal(firstDifference(tagged, tagged), null, `seed ${seed}`);
    }
  });

  test('keys that mean something to the language stay data', () => {
    const value = fromTagged(parseTagged('{"__proto__":{"polluted":1},"constructor":1,"toString":2}'));
    assert.deepEqual(Object.keys(value as object), ['__proto__', 'constructor', 'toString']);
    assert.equal(({} as { polluted?: number }).polluted, undefined);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    const map = fromTagged(parseTagged('{"$type":"object","entries":[["__proto__",{"x":1}],["$type",1]]}'));
    assert.equal((map as { x?: number }).x, undefined);
  });

  test('toJSON, valueOf, getters and coercion of a value are not called', () => {
    let calls = 0;
    const count = (): number => (calls += 1);
    const hostile = {
      toJSON: count,
      valueOf: count,
      toString: count,
      [Symbol.toPrimitive]: count,
      get a() {
        return count();
      },
    };
    toTagged([
      { ...Object.getOwnPropertyDescriptors(hostile) },
      hostile,
      Object.defineProperties(new Date(0), {
        toJSON: { value: count },
        getTime: { value: count },
        toISOString: { value: count },
      }),
    ]);
    assert.equal(calls, 0);
  });

  test('limits: depth, number of values, length', () => {
    const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner: unknown) => [inner], 1);
    assert.ok(toTagged(nested(VALUE_LIMITS.depth)));
    assert.throws(() => toTagged(nested(VALUE_LIMITS.depth + 1)), RangeError);
    assert.throws(() => toTagged(new Array(VALUE_LIMITS.nodes + 1).fill(0)), RangeError);
    assert.throws(() => toTagged(new Array(2 ** 31)), RangeError);
    assert.throws(() => toTagged('x'.repeat(VALUE_LIMITS.characters + 1)), RangeError);
    const shared = Array.from({ length: 60 }).reduce((inner: unknown) => [inner, inner], 1);
    assert.throws(() => toTagged(shared), RangeError);
  });
});

describe('hostile text from a guest', () => {
  test('is refused', () => {
    for (const text of [
      '',
      '{',
      'undefined',
      '[1',
      '{"$type":1}',
      '{"$type":"nothing"}',
      '{"$type":"__proto__"}',
      '{"$type":"constructor"}',
      '{"$type":{"$type":"set"}}',
      '{"$type":"number","value":"1"}',
      '{"$type":"number","value":["NaN"]}',
      '{"$type":"bigint","value":"1e5"}',
      `{"$type":"bigint","value":"${'9'.repeat(100_001)}"}`,
      '{"$type":"map"}',
      '{"$type":"map","entries":[[1]]}',
      '{"$type":"object","entries":[[1,2]]}',
      '{"$type":"set","values":{}}',
      '{"$type":"bytes","value":"*"}',
      '{"$type":"cycle","up":0}',
      '{"$type":"cycle","up":1e9}',
      '{"$type":"cycle","up":"1"}',
      '{"$type":"error","name":1,"message":""}',
      '{"$type":"typed-array","values":[]}',
      '['.repeat(1e6),
      '['.repeat(1000) + ']'.repeat(1000),
      '{"a":'.repeat(1000) + '1' + '}'.repeat(1000),
      `"${'x'.repeat(10 * 1024 * 1024)}"`,
      `[${'0,'.repeat(700_000)}0]`,
    ])
      assert.throws(
        () => parseTagged(text),
        (error) => error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError,
        text.slice(0, 60),
      );
  });

  test('never makes the host throw or run anything once it is parsed', () => {
    for (const text of [
      '{"$type":"regexp","source":"(","flags":""}',
      '{"$type":"regexp","source":"a","flags":"zz"}',
      '{"$type":"date","value":"never"}',
      '{"$type":"cycle","up":9}',
      '{"$type":"bigint","value":"007"}',
      '{"$type":"typed-array","name":"Int8Array","values":["x",{}]}',
      '{"$type":"typed-array","name":"BigInt64Array","values":[1]}',
      '{"$type":"typed-array","name":"constructor","values":[1]}',
      '{"$type":"instance","class":"Array","base":"array","entries":[["__proto__",1]]}',
      '{"$type":"map","entries":[[{"$type":"map","entries":[]},1]]}',
      '{"$type":"accessor"}',
      '{"$type":"bytes","value":"A"}',
      '{"then":{"$type":"function","name":"x"},"toJSON":{"$type":"function"}}',
      `{"$type":"bigint","value":"${'9'.repeat(100_000)}"}`,
    ]) {
      const tagged = parseTagged(text);
      assert.doesNotThrow(() => fromTagged(tagged), text.slice(0, 60));
      const others: Tagged[] = [null, 1, 'x', [], {}, { $type: 'undefined' }, { $type: 'map', entries: [] }];
      for (const expected of others)
        assert.equal(typeof firstDifference(tagged, expected), 'string', text.slice(0, 60));
    }
  });

  test('every type that there is, with the wrong members, is refused or kept', () => {
    for (const type of TAGS) {
      for (const members of [
        {},
        { value: 1 },
        { value: {} },
        { entries: 5, values: 'x' },
        { entries: [[]], values: [[]] },
      ]) {
        let tagged: Tagged;
        try {
          tagged = parseTagged(JSON.stringify({ $type: type, ...members }));
        } catch (error) {
          assert.ok(error instanceof TypeError);
          continue;
        }
        fromTagged(tagged);
        firstDifference(tagged, tagged, { unordered: true, numberTolerance: 1 });
      }
    }
  });
});

test('a guest writes what the host writes', async () => {
  const cases = SAMPLES.map((value) => ({ input: JSON.stringify(toTagged([value])), timeoutMs: 10_000 }));
  const outcomes = await new QuickJSProvider().runCases({
    source: 'const same = (value) => [value];',
    language: 'javascript',
    functionName: 'same',
    cases,
  });
  for (const [index, { input }] of cases.entries()) {
    const outcome = outcomes[index];
    // The tags of the document are kept as they are; a guest only sees the values that they stand for.
    assert.equal(outcome?.kind === 'returned' ? JSON.stringify(outcome.value) : outcome, input, `seed ${index}`);
  }
});
