import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSignatureType, type Signature, type SignatureType } from '@assay/protocol/type-signature';
import { bubblewrapProvider } from '../../providers/bubblewrap/bubblewrap-provider.ts';
import { runTests } from '../../run-tests/run-tests.ts';
import type { TestCase } from '../../run-tests/test-case.ts';
import { goSource } from './go-source.ts';

const provider = bubblewrapProvider();
const type = (text: string): SignatureType => parseSignatureType(text) ?? assert.fail(text);
const signature = (parameters: string[], returns: string): Signature => ({
  parameters: parameters.map(type),
  returns: type(returns),
});
const run = (code: string, given: Signature, cases: TestCase[], functionName = 'f') =>
  runTests(provider, code, functionName, cases, { language: 'go', signature: given, timeoutMs: 10_000 });
const errors = async (...given: Parameters<typeof run>): Promise<(string | undefined)[]> =>
  (await run(...given)).map(({ error }) => error);

describe('Go submissions as they are written', () => {
  const add = signature(['i64', 'i64'], 'i64');
  const forms: Record<string, string | [string, string]> = {
    'package main with a main':
      'package main\n\nimport "fmt"\n\nfunc f(a int, b int) int {\n\tfmt.Println(a)\n\treturn a + b\n}\n\nfunc main() { fmt.Println(f(1, 2)) }\n',
    'another package, with comments above':
      '// Package solution adds.\n/* and\nnothing else */\npackage solution\n\nfunc f(a, b int64) int64 { return a + b }',
    'no package': 'func f(a int32, b uint8) int { return int(a) + int(b) }',
    'an exported name': 'package main\nfunc F(a, b int) int { return a + b }',
    'a variable': 'package main\nvar f = func(a, b int) int { return a + b }',
    'a method by its path': [
      'package main\ntype Solution struct{ n int }\nfunc (s *Solution) f(a, b int) int { return a + b + s.n }',
      'Solution.f',
    ],
    'a method': 'package main\ntype Adder struct{}\nfunc (Adder) f(a, b int) int { return a + b }',
    'an error beside the result': 'package main\nfunc f(a, b int) (int, error) { return a + b, nil }',
    variadic: 'package main\nfunc f(all ...int) int { sum := 0; for _, each := range all { sum += each }; return sum }',
    'a fenced block': 'So:\n```go\npackage main\nfunc f(a, b int) int { return a + b }\n```\nDone.',
  };
  for (const [name, form] of Object.entries(forms)) {
    test(name, async () => {
      const [code, functionName] = typeof form === 'string' ? [form, 'f'] : form;
      assert.deepEqual(
        await errors(
          code,
          add,
          [
            { input: [2, 3], expected: 5 },
            { input: [-1, 1], expected: 0 },
          ].slice(0, name === 'no package' ? 1 : 2),
          functionName,
        ),
        name === 'no package' ? [undefined] : [undefined, undefined],
      );
    });
  }
  const bad: Record<string, [string, RegExp]> = {
    'what does not compile': [
      'package main\n\nfunc f(a, b int) int {\n\treturn a + c\n}',
      /^it does not compile: line 4: undefined: c$/,
    ],
    'another name': ['package main\nfunc g() {}', /^it does not compile: the submission defines no function f$/],
    'another number of parameters': ['package main\nfunc f(a int) int { return a }', /takes 1 arguments, not 2/],
    'a type that takes no such value': [
      'package main\nfunc f(a, b string) string { return a }',
      /2 cannot be given as string/,
    ],
    'an error': [
      'package main\nimport "errors"\nfunc f(a, b int) (int, error) { return 0, errors.New("not today") }',
      /^it threw error: not today$/,
    ],
    'a panic': ['package main\nfunc f(a, b int) int { return []int{}[a] }', /^it threw panic: .*index out of range/],
    'a typed error': [
      'package main\ntype Odd struct{}\nfunc (Odd) Error() string { return "odd" }\nfunc f(a, b int) (int, error) { return 0, Odd{} }',
      /^it threw Odd: odd$/,
    ],
    'no Go at all': ['I cannot help with that.', /^it does not compile: line 1: syntax error/],
  };
  for (const [name, [code, says]] of Object.entries(bad)) {
    test(`${name}: one line that says so`, async () => {
      const [error] = await errors(code, add, [{ input: [2, 3], expected: 5 }]);
      assert.match(error ?? '', says);
    });
  }
});

test('values of Go go in and out', async () => {
  const code = `package main
import "math"
func f(flag bool, number int64, real float64, text string, items [][]byte, table map[string][]float64, maybe *string, none *int) (map[string]interface{}) {
  return map[string]interface{}{"flag": !flag, "number": number, "real": real, "nan": math.NaN(), "zero": math.Copysign(0, -1), "text": text + "é😀", "items": items, "table": table, "maybe": maybe, "none": none,
    "nil": []string(nil), "ints": map[int]string{1: "a"}, "$type": "x"}
}`;
  const given = signature(
    ['bool', 'i64', 'f64', 'string', 'list<list<string>>', 'map<list<f64>>', 'optional<string>', 'optional<i64>'],
    'map<string>',
  );
  const expected = {
    $type: 'object',
    entries: Object.entries({
      flag: false,
      number: { $type: 'bigint', value: '9223372036854775807' },
      real: 0.1,
      nan: Number.NaN,
      zero: -0,
      text: '"\\é😀',
      items: [['a', 'b']],
      table: { x: [Number.POSITIVE_INFINITY, 1] },
      maybe: 'yes',
      none: null,
      nil: [],
      ints: { $type: 'map', entries: [[1, 'a']] },
      $type: 'x',
    }),
  };
  const items = (
    await run(code, given, [
      {
        input: [
          true,
          { $type: 'bigint', value: '9223372036854775807' },
          0.1,
          '"\\',
          [['a', 'b']],
          { x: [Number.POSITIVE_INFINITY, 1] },
          'yes',
          null,
        ],
        expected,
      },
    ])
  )[0];
  // Without a signature of their own, letters are numbers.
  assert.match(items?.error ?? '', /items\[0\]\[0\]: expected "a", got 97/);
  const [letters] = await run(
    'func f(rows [][]byte) [][]byte { rows[0][0], rows[0][1] = rows[0][1], rows[0][0]; return rows }',
    signature(['list<list<string>>'], 'list<list<string>>'),
    [{ input: [[['a', 'b']]], expected: [['b', 'a']] }],
  );
  assert.equal(letters?.error, undefined);
});

test('hostile comments above the package are passed over', () => {
  const source = `${'/**/'.repeat(200_000)}x`;
  assert.match(goSource(source, 'f'), /^package submission; /);
  assert.match(goSource('//a\n/*b*/ package main // c', 'f'), /^\/\/a\n\/\*b\*\/ package submission \/\/ c\n/);
});
