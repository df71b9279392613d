import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runInNewContext, runInThisContext } from 'node:vm';
import type { LiteralValue, RecordedCall, TestPlace } from '../../function-facet.ts';
import { nodeFunctions } from './node-functions.ts';

const names = (text: string, path = 'a.js'): string[] =>
  nodeFunctions.list(path, text).map(({ name, binding }) => `${binding.kind} ${name}${binding.isModule ? ' esm' : ''}`);
const BODY = '{ return a; }';
const text = (value: string): LiteralValue => ({ kind: 'str', text: value });

describe('functions of JavaScript and TypeScript', () => {
  test('those that a module exports, in any of the ways to do so', () => {
    assert.deepEqual(
      names(
        `export function one(a: string): string ${BODY}
export const two = (a) => ${BODY}, three = 3;
function four(a) ${BODY}
const five = function (a) ${BODY};
export { four, five as six };
function seven(a) ${BODY}
export default seven;
export async function later(a) ${BODY}
export function none() { return 1; }
export const short = (a) => a;
function own(a) ${BODY}`,
        'a.ts',
      ),
      ['named one esm', 'named two esm', 'named four esm', 'named six esm', 'default seven esm'],
    );
    assert.deepEqual(
      names(`const main = (a) => ${BODY};
main.part = function (a) ${BODY};
exports.one = (a) => ${BODY};
module.exports = main;`),
      ['named one', 'default main', 'member part'],
    );
    assert.deepEqual(names(`function x(a) ${BODY}\nmodule.exports = { x, y: (a) => ${BODY}, z: 1 };`), [
      'named x',
      'named y',
    ]);
    assert.deepEqual(names('this is ( no program'), []);
  });

  test('says what a function reaches for, throws and is documented by', () => {
    const [found] = nodeFunctions.list(
      'a.js',
      `/** Not this. */
const other = 1;

/**
 * Halves.
 *
 * @param a a number
 */
exports.half = (a, { round = false } = {}) => {
  if (a > 9) throw new RangeError('no');
  return round ? Math.random() : a / 2;
};`,
    );
    assert.equal(found?.documentation, 'Halves.\n\n@param a a number');
    assert.deepEqual([found?.impure, found?.raises, found?.branches], ['Math.random', ['RangeError'], 2]);
    assert.equal(found?.signature, 'half(a, { round = false } = {})');
  });

  test('values of another world come again from what is rendered of them', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-node-functions-'));
    try {
      const recorded = join(directory, 'recorded.jsonl');
      await writeFile(
        join(directory, 'h.cjs'),
        nodeFunctions.helper.text.replace('/tmp/assay-recorded.jsonl', recorded),
      );
      const { record } = createRequire(import.meta.url)(join(directory, 'h.cjs')) as {
        record: (index: number, call: () => unknown) => void;
      };
      const written = [
        'null',
        'undefined',
        'true',
        '-7',
        '1.5',
        '-0',
        'NaN',
        '12n',
        `'it\\'s "x"\\n\\u200b😀'`,
        '[]',
        '[1, [2]]',
        "({ a: 1, 'b c': undefined, ['__proto__']: 2 })",
        '({ __proto__: null, a: 1 })',
        'new Set([1])',
        "new Map([['a', { b: 1 }]])",
        '/a\\/b/gi',
      ];
      for (const [index, source] of written.entries()) record(index, () => runInNewContext(source) as unknown);
      const opaque = [
        '() => 1',
        'new Date()',
        'new (class A {})()',
        "'\\ud800'",
        '[, 1]',
        '({ get a() { return 1; } })',
        'Promise.resolve(1)',
      ];
      for (const source of opaque) record(99, () => runInNewContext(source) as unknown);
      const lines = (await readFile(recorded, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { result: { does: string; value: LiteralValue } });
      assert.deepEqual(
        lines.slice(written.length).map(({ result }) => result),
        opaque.map(() => ({ does: 'other' })),
      );
      for (const [index, source] of written.entries()) {
        const rendered = nodeFunctions.render(lines[index]?.result.value ?? { kind: '' });
        assert.deepStrictEqual(runInThisContext(`(${rendered})`), runInThisContext(`(${source})`), source);
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('what is written of a foreign recorder is a literal, whatever stands in it', () => {
    assert.equal(nodeFunctions.render({ kind: 'int', text: 'process.exit()' }), 'null');
    assert.equal(nodeFunctions.render({ kind: 'bigint', text: '1n; x()' }), '0n');
  });

  test('tests are written as the runner and the example want them', () => {
    const call: RecordedCall = { positional: [text('x'), text('-')], named: [] };
    const write = (runner: string, source: string, place: Partial<TestPlace>, from = source): string => {
      const [found] = nodeFunctions.list(source, from.includes('(') ? from : `export function cut(a, b = '-') ${BODY}`);
      assert.ok(found);
      const at = { runner, path: 'test/x.test.js', example: null, ...place };
      return nodeFunctions.tests(at, { path: source, found }, [
        { call, result: { does: 'returns', value: text('y') } },
        { call, result: { does: 'raises', name: 'TypeError' } },
      ]);
    };
    const example = (code: string): TestPlace['example'] => ({ path: 'test/a.test.ts', text: code });
    assert.equal(
      write('vitest', 'src/a.ts', { path: 'test/x.test.ts', example: example("import { a } from '../src';") }),
      `import { expect, test } from 'vitest';
import { cut } from '../src/a';

test('01', () => {
  expect(cut('x')).toEqual('y');
});

test('02', () => {
  expect(() => cut('x')).toThrow(TypeError);
});
`,
    );
    assert.match(write('node:test', 'a.ts', { path: 'x.test.ts' }), /^import \{ cut \} from '\.\/a\.ts';$/m);
    const common = `const main = (a) => ${BODY};\nmain.cut = (a, b = '-') => ${BODY};\nmodule.exports = main;`;
    assert.match(write('mocha', 'lib/a.js', {}, common), /^const main = require\('\.\.\/lib\/a\.js'\);$/m);
    assert.match(
      write('ava', 'lib/a.js', { example: example("import test from 'ava';") }, common),
      /^import main from/m,
    );
    assert.match(write('tape', 'lib/a.js', {}, common), /t\.deepEqual\(main\('x', '-'\), 'y'\);\n {2}t\.end\(\);/);
  });
});
