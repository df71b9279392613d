import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bubblewrapProvider } from '../../providers/bubblewrap/bubblewrap-provider.ts';
import { runTests } from '../../run-tests/run-tests.ts';
import type { TestCase } from '../../run-tests/test-case.ts';

const provider = bubblewrapProvider();
const run = (code: string, cases: TestCase[], functionName = 'add') =>
  runTests(provider, code, functionName, cases, { language: 'python', timeoutMs: 10_000 });
const FENCE = '```';

describe('Python submissions as they are written', () => {
  const forms: Record<string, string | [string, string]> = {
    'a function': 'def add(a, b):\n    return a + b\n',
    'a function with type hints':
      'from __future__ import annotations\nfrom typing import *\ndef add(a: int, b: "Optional[int]" = None) -> list[int] | int:\n    return a + b',
    'a lambda': 'add = lambda a, b: a + b',
    'an async function': 'import asyncio\nasync def add(a, b):\n    await asyncio.sleep(0.01)\n    return a + b',
    'helpers below': 'def add(a, b):\n    return plus(a, b)\ndef plus(a, b):\n    return a + b',
    'a decorated function':
      'from functools import lru_cache, wraps\n@lru_cache(maxsize=None)\ndef add(a, b):\n    return a + b',
    'a class of contests, names of typing not imported':
      'class Solution:\n    def add(self, a: int, b: Optional[int]) -> List[int]:\n        return self.plus(a, b)\n    def plus(self, a, b):\n        return a + b',
    'a method by its path': ['class Solution:\n    def add(self, a, b):\n        return a + b', 'Solution.add'],
    'a static method': ['class Tools:\n    @staticmethod\n    def add(a, b):\n        return a + b', 'Tools.add'],
    'a class method': ['class Tools:\n    @classmethod\n    def add(cls, a, b):\n        return a + b', 'Tools.add'],
    'a method without self': ['class Tools:\n    def add(a, b):\n        return a + b', 'Tools.add'],
    'a class of any name': 'class Adder:\n    def add(self, a, b):\n        return a + b',
    'a callable object': 'class Adder:\n    def __call__(self, a, b):\n        return a + b\nadd = Adder()',
    'a dataclass inside':
      'from dataclasses import dataclass\n@dataclass\nclass Pair:\n    a: int\n    b: int\ndef add(a, b):\n    pair = Pair(a, b)\n    return pair.a + pair.b',
    'output and input in between':
      'import sys\nprint("loading")\ndef add(a, b):\n    print({"returned": 1})\n    print(a, file=sys.stderr)\n    try:\n        input()\n    except EOFError:\n        pass\n    return a + b',
    'a main guard':
      'def add(a, b):\n    return a + b\nif __name__ == "__main__":\n    import sys\n    sys.exit(add(1, 1))',
    'a fenced block inside prose': `It's easy:\n\n${FENCE}python\ndef add(a, b):\n    return a + b\n${FENCE}\n\nDon't run \`add()\`.`,
    'line ends of Windows and a byte order mark': '\ufeffdef add(a, b):\r\n    return a + b\r\n',
  };
  for (const [name, form] of Object.entries(forms)) {
    test(name, async () => {
      const [code, functionName] = typeof form === 'string' ? [form, 'add'] : form;
      const results = await run(
        code,
        [
          { input: [2, 3], expected: 5 },
          { input: [1, 1], expected: 2 },
        ],
        functionName,
      );
      assert.deepEqual(
        results.map(({ error }) => error),
        [undefined, undefined],
      );
    });
  }
  const bad: Record<string, [string, RegExp]> = {
    'a syntax error': ['x = 1\ndef add(a, b):\n    return a +\n', /^SyntaxError: .*\(line 3\)$/],
    prose: ['I cannot help with that.', /^SyntaxError/],
    'another name': ['def sum2(a, b):\n    return a + b', /^the submission defines no function add$/],
    'an unknown module': ['import numpy\ndef add(a, b):\n    return a + b', /^ModuleNotFoundError: .*numpy/],
    'an error at the top': ['raise ValueError("no")', /^ValueError: no$/],
    'a wrong number of parameters': ['def add(a):\n    return a', /TypeError/],
    'an error of its own': [
      'class Odd(Exception):\n    pass\ndef add(a, b):\n    raise Odd("too odd")',
      /^it threw Odd: too odd$/,
    ],
    'a generator': ['def add(a, b):\n    yield a + b', /generator/],
  };
  for (const [name, [code, says]] of Object.entries(bad)) {
    test(`${name}: one line that says so`, async () => {
      const [result] = await run(code, [{ input: [2, 3], expected: 5 }]);
      assert.equal(result?.passed, false);
      assert.match(result.error ?? '', says);
    });
  }
  test('errors that are expected', async () => {
    const results = await run('def add(a, b):\n    raise KeyError("here")', [
      { input: [1, 2], throws: { name: 'KeyError', message: 'here' } },
      { input: [1, 2], throws: { name: 'ValueError' } },
    ]);
    assert.deepEqual(
      results.map(({ passed }) => passed),
      [true, false],
    );
  });
});

/** Python text of a value, and the tagged value that it is. */
const VALUES: readonly (readonly [string, unknown])[] = [
  ['None', null],
  ['True', true],
  ['3', 3],
  ['2**53', { $type: 'bigint', value: '9007199254740992' }],
  ['-10**30', { $type: 'bigint', value: `-1${'0'.repeat(30)}` }],
  ['10**5000', { $type: 'bigint', value: `1${'0'.repeat(5000)}` }],
  ['0.1', 0.1],
  ['1e300', 1e300],
  ['float("nan")', Number.NaN],
  ['-float("inf")', -Infinity],
  ['-0.0', -0],
  ['"é\\U0001f600\\ud800"', 'é😀\ud800'],
  ['b"\\x00\\xff"', { $type: 'bytes', value: 'AP8=' }],
  ['bytearray(b"a")', { $type: 'bytes', value: 'YQ==' }],
  ['[1, [2]]', [1, [2]]],
  ['(1, (2,))', { $type: 'tuple', values: [1, { $type: 'tuple', values: [2] }] }],
  ['{3, 1}', { $type: 'set', values: [1, 3] }],
  ['frozenset([1])', { $type: 'frozenset', values: [1] }],
  ['{"b": 1, "a": {}}', { a: {}, b: 1 }],
  [
    '{1: "a", (2, 3): None}',
    {
      $type: 'map',
      entries: [
        [1, 'a'],
        [{ $type: 'tuple', values: [2, 3] }, null],
      ],
    },
  ],
  [
    '{"$type": "date", "value": 1}',
    {
      $type: 'object',
      entries: [
        ['$type', 'date'],
        ['value', 1],
      ],
    },
  ],
  ['range(1, 10, 3)', { $type: 'range', value: '1:10:3' }],
  ['1+2j', { $type: 'complex', value: '(1+2j)' }],
  ['decimal.Decimal("1.50")', { $type: 'decimal', value: '1.50' }],
  ['fractions.Fraction(2, 4)', { $type: 'fraction', value: '1/2' }],
  ['datetime.date(2024, 2, 29)', { $type: 'datetime', value: '2024-02-29' }],
  [
    'datetime.datetime(2024, 2, 29, 1, 2, 3, 4, datetime.timezone.utc)',
    { $type: 'datetime', value: '2024-02-29T01:02:03.000004+00:00' },
  ],
  ['datetime.time(1, 2)', { $type: 'time', value: '01:02:00' }],
  ['datetime.timedelta(days=-1, milliseconds=500)', { $type: 'timedelta', value: '-86399.5' }],
  ['uuid.UUID(int=1)', { $type: 'uuid', value: '00000000-0000-0000-0000-000000000001' }],
  ['pathlib.PurePosixPath("a/b")', { $type: 'path', value: 'a/b' }],
  ['collections.Counter("aab")', { a: 2, b: 1 }],
  ['collections.OrderedDict(a=1)', { a: 1 }],
  ['collections.defaultdict(list, a=[1])', { a: [1] }],
  ['collections.namedtuple("P", "x y")(1, 2)', { $type: 'tuple', values: [1, 2] }],
  ['enum.IntEnum("E", "A").A', 1],
  ['ValueError("no")', { $type: 'error', name: 'ValueError', message: 'no' }],
];
const IMPORTS = 'import collections, datetime, decimal, enum, fractions, pathlib, uuid\n';

test('values of Python come out as they are', async () => {
  const code = `${IMPORTS}values = [${VALUES.map(([text]) => text).join(',\n')}]\ndef add(place):\n    return values[place]`;
  const results = await run(
    code,
    VALUES.map(([desc, expected], place) => ({ desc, input: [place], expected })),
  );
  assert.deepEqual(
    results.filter(({ passed }) => !passed).map(({ desc, error }) => `${desc}: ${error}`),
    [],
  );
});

test('values go in as they are, and come back the same', async () => {
  const same = VALUES.filter(([text]) => !/bytearray|Counter|Ordered|default|namedtuple|Enum|ValueError/.test(text));
  const code = `${IMPORTS}values = [${same.map(([text]) => text).join(',\n')}]\ndef add(place, item):\n    return [item, type(item) is type(values[place]), item == values[place] or item != item]`;
  const results = await run(
    code,
    same.map(([desc, value], place) => ({ desc, input: [place, value], expected: [value, true, true] })),
  );
  assert.deepEqual(
    results.filter(({ passed }) => !passed).map(({ desc, error }) => `${desc}: ${error}`),
    [],
  );
});

test('cycles, and what is no data', async () => {
  const code =
    'import dataclasses, enum\nclass Colour(enum.Enum):\n    RED = 1\n@dataclasses.dataclass\nclass Pair:\n    a: int\n@dataclasses.dataclass\nclass Slotted:\n    __slots__ = ("b",)\n    b: int\nloop = [1]\nloop.append(loop)\nmapping = {"self": None}\nmapping["self"] = [mapping]\ndef add(place):\n    return [loop, mapping, Colour.RED, Pair(1), Slotted(2), len, int][place]';
  const results = await run(code, [
    { input: [0], expected: [1, { $type: 'cycle', up: 1 }] },
    { input: [1], expected: { self: [{ $type: 'cycle', up: 2 }] } },
    ...[2, 3, 4, 5, 6].map((place) => ({ input: [place], expected: 1 })),
  ]);
  assert.deepEqual(
    results.map(({ passed }) => passed),
    [true, true, false, false, false, false, false],
  );
  assert.deepEqual(results[3]?.got, { $type: 'instance', class: 'Pair', base: 'object', entries: [['a', 1]] });
  assert.deepEqual(results[4]?.got, { $type: 'instance', class: 'Slotted', base: 'object', entries: [['b', 2]] });
});
