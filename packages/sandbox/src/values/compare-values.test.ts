import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describe as describeValue, firstDifference, type Comparison } from './compare-values.ts';
import { parseTagged, toTagged, type Tagged } from './tagged-value.ts';

class Point {
  x = 1;
}
const cycle = (): unknown[] => {
  const list: unknown[] = [1];
  list.push(list);
  return list;
};

const equal = (got: unknown, expected: unknown, rules?: Comparison): void =>
  assert.equal(firstDifference(toTagged(got), toTagged(expected), rules), null);
const unequal = (got: unknown, expected: unknown, rules?: Comparison): void =>
  assert.equal(
    typeof firstDifference(toTagged(got), toTagged(expected), rules),
    'string',
    `${describeValue(toTagged(got))} and ${describeValue(toTagged(expected))}`,
  );

describe('what is equal', () => {
  test('structure, with the order of keys, entries and members free', () => {
    equal({ a: 1, b: [2, { c: 3 }] }, { b: [2, { c: 3 }], a: 1 });
    equal(
      new Map<unknown, unknown>([
        ['a', 1],
        [{ k: 1, l: 2 }, 2],
      ]),
      new Map<unknown, unknown>([
        [{ l: 2, k: 1 }, 2],
        ['a', 1],
      ]),
    );
    equal(new Set([1, 'a', { k: [1] }]), new Set([{ k: [1] }, 'a', 1]));
    equal(Object.assign(Object.create(null), { a: 1 }), { a: 1 });
    equal({ $type: 'mine', a: 1 }, { a: 1, $type: 'mine' });
    equal(new Set([{ $type: 'mine', a: 1 }]), new Set([{ a: 1, $type: 'mine' }]));
  });
  test('NaN, 0 and -0, dates, numbers, errors, patterns, bytes, cycles', () => {
    for (const value of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      12n,
      new Date(5),
      new Date(Number.NaN),
      new RangeError('no'),
      /a/g,
      new Uint8Array([1]),
      new Float32Array([0.5]),
      undefined,
      [undefined],
      Object.assign([], { length: 2 }),
    ])
      equal(value, value);
    equal(-0, 0);
    equal(-0, -0);
    equal([-0], [0], { unordered: true });
    equal(cycle(), cycle());
    equal({ $type: 'date', value: '2024-01-01T01:00:00+01:00' }, new Date('2024-01-01'));
    equal({ $type: 'tuple', values: [1, 2] }, [1, 2]);
  });
});

describe('what is not', () => {
  test('types, missing members, undefined and holes', () => {
    for (const [got, expected] of [
      [1, '1'],
      [true, 1],
      [null, undefined],
      [null, 0],
      ['', null],
      [[], {}],
      [{}, null],
      [1n, 1],
      [undefined, 'undefined'],
      [{ a: undefined }, {}],
      [{}, { a: undefined }],
      [{ a: 1, b: 2 }, { a: 1 }],
      [{ a: 1 }, { a: 1, b: 2 }],
      [[1, 2], [1]],
      [[1], [1, 2]],
      [
        [1, '2'],
        [1, 2],
      ],
      [[undefined], [null]],
      [new Array(1), [undefined]],
      [[], [undefined]],
      [new Map(), {}],
      [new Map([['a', 1]]), { a: 1 }],
      [new Set([1]), [1]],
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [new Date(0), 0],
      [new Date(0), new Date(1)],
      [new Error('a'), new Error('b')],
      [new Error('a'), new TypeError('a')],
      [new Error('a'), 'a'],
      [new Error('a'), { name: 'Error', message: 'a' }],
      [/a/, /a/g],
      [/a/, '/a/'],
      [new Uint8Array([1]), [1]],
      [new Int8Array([1]), new Int16Array([1])],
      [0, -0],
      [Number.NaN, null],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      [Number.POSITIVE_INFINITY, Number.MAX_VALUE],
      [2 ** 53, 2n ** 53n],
      [[1], { $type: 'tuple', values: [1] }],
      [cycle(), [1, [1, null]]],
      [new Map([[1, 'a']]), new Map([['1', 'a']])],
      [new Set([1]), new Set(['1'])],
      [
        [1, 1, 2],
        [1, 2, 2],
      ],
    ])
      unequal(got, expected);
  });
  test('text is compared as it is: nothing trimmed, folded or normalised', () => {
    for (const [got, expected] of [
      ['a ', 'a'],
      ['A', 'a'],
      ['\u00e9', 'e\u0301'],
      ['pass\u200b', 'pass'],
      ['\u0430', 'a'],
      ['\u202eabc', 'abc'],
      ['the answer is 42', '42'],
      ['42', 42],
      ['\ufeffa', 'a'],
      ['\ud800', '\ufffd'],
      ['a\r\n', 'a\n'],
    ])
      unequal(got, expected);
  });
  test('what is no data equals nothing, itself included', () => {
    for (const value of [
      Symbol.iterator,
      () => 1,
      {
        get a() {
          return 1;
        },
      },
      new Point(),
      Object.defineProperty({}, 'a', { value: 1 }),
      [[new Point()]],
      new Map([['a', () => 1]]),
      new Set([() => 1]),
    ]) {
      unequal(value, value);
      unequal([[value]], [[value]], { unordered: true });
      unequal([value], [value], { unordered: true, numberTolerance: 1 });
    }
    unequal(new Point(), { x: 1 });
    unequal({ toJSON: () => 5 }, 5);
    unequal({ valueOf: () => 5 }, 5);
    unequal(Object(5), 5);
  });
});

describe('tolerance', () => {
  test('absolute, relative, or either; only for finite numbers', () => {
    equal(1.05, 1, { numberTolerance: 0.1 });
    unequal(1.2, 1, { numberTolerance: 0.1 });
    equal({ a: [new Map([['x', 100.5]])] }, { a: [new Map([['x', 100]])] }, { numberTolerance: { rel: 0.01 } });
    unequal(102, 100, { numberTolerance: { rel: 0.01 } });
    equal(102, 100, { numberTolerance: { rel: 0.01, abs: 5 } });
    equal(0.001, -0, { numberTolerance: 0.1 });
    unequal(Number.NaN, 1, { numberTolerance: 1e9 });
    unequal(Number.POSITIVE_INFINITY, 1, { numberTolerance: Number.MAX_VALUE });
    equal(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, { numberTolerance: 1 });
    unequal('1.05', 1, { numberTolerance: 1 });
    unequal(2n, 1n, { numberTolerance: 5 });
    unequal(new Map([[1.05, 1]]), new Map([[1, 1]]), { numberTolerance: 1 });
  });
});

describe('without order', () => {
  test('arrays at every depth; repetition counts', () => {
    equal([[3, 1], [2]], [[2], [1, 3]], { unordered: true });
    equal({ a: [1, 2] }, { a: [2, 1] }, { unordered: true });
    unequal([1, 1, 2], [1, 2, 2], { unordered: true });
    unequal([1, 2], [2, 1]);
    unequal([1, 2], [1, 2, 3], { unordered: true });
  });
  test('with a tolerance whatever pairs them counts', () => {
    const rules: Comparison = { unordered: true, numberTolerance: 0.6 };
    equal([1, 1.5], [1.5, 1], rules);
    // The first of each is near both of the other, so that taking the first that fits would fail.
    equal([1.5, 1], [1, 2], rules);
    equal([1.5, 2, 1], [1, 1.5, 2.1], rules);
    unequal([1, 1], [1, 2], rules);
    equal(new Set([1.2, 5.2]), new Set([5, 1]), { numberTolerance: 0.3 });
  });
  test('what would take for ever is given up, and does not pass', () => {
    const rules: Comparison = { unordered: true, numberTolerance: 0.1 };
    const tree = (depth: number, leaf: number): unknown =>
      depth === 0 ? leaf : Array.from({ length: 11 }, (_, index) => tree(depth - 1, index === 10 ? leaf : 0));
    assert.match(
      firstDifference(toTagged(tree(5, 1)), toTagged(tree(5, 9)), rules) ?? '',
      /too much to compare|not expected/,
    );
    const rows = (last: number): number[][] =>
      Array.from({ length: 1900 }, () => [...new Array<number>(90).fill(0), last]);
    assert.match(
      firstDifference(toTagged(rows(1)), toTagged(rows(2)), rules) ?? '',
      /too much to compare|not expected/,
    );
    assert.match(
      firstDifference(toTagged(new Array(2001).fill(0)), toTagged(new Array(2001).fill(0)), rules) ?? '',
      /more than 2000 elements/,
    );
  });
});

describe('what is said', () => {
  const said = (got: Tagged, expected: Tagged): string | null => firstDifference(got, expected);
  test('the path and both values, short', () => {
    assert.equal(said({ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] }), '.a[1].b: expected "y", got "x"');
    assert.equal(said({}, { a: 1 }), 'the value: the key "a" is missing');
    assert.equal(said({ a: 1, b: 1 }, { a: 1 }), 'the value: there is a further key "b"');
    assert.equal(said([1], [1, 2]), 'the value: expected 2 elements, got 1');
    assert.equal(said(toTagged(undefined), 1), 'the value: expected 1, got undefined');
    assert.equal(said(toTagged(-0), 1), 'the value: expected 1, got -0');
    assert.match(said(toTagged(new Point()), { x: 1 }) ?? '', /an instance of Point/);
  });
  test('of bounded length and in one line, whatever the values are', () => {
    const huge = 'x\n'.repeat(500_000);
    for (const [got, expected] of [
      [huge, 'y'],
      [{ [huge]: 1 }, {}],
      [{ [huge]: 1 }, { [huge]: 2 }],
      [{}, { [huge]: 2 }],
      [[huge], [1]],
    ] satisfies [Tagged, Tagged][]) {
      const text = said(got, expected) ?? '';
      assert.ok(text.length < 1000 && !text.includes('\n'), text.slice(0, 2000));
    }
    assert.ok(
      (said(parseTagged(JSON.stringify({ $type: 'instance', class: huge, base: 'object', entries: [] })), 1) ?? '')
        .length < 1000,
    );
    assert.ok(
      (said(parseTagged(JSON.stringify({ $type: 'bigint', value: '9'.repeat(90_000) })), 1) ?? '').length < 1000,
    );
  });
});
