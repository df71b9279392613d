import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nodeEcosystem } from '../ecosystems/node/node-ecosystem.ts';
import { type Case, js, undisclosed } from './undisclosed.fixture.ts';

describe('JavaScript and TypeScript demands', () => {
  const cases: [string, Case, string[]][] = [
    [
      'a named import',
      js('export function clampRange(a) { return a; }\n', "import { clampRange } from '../src/a.js';\n"),
      ['name clampRange'],
    ],
    [
      'one over several lines',
      js('export const clampRange = (a) => a;\n', "import {\n  other,\n  clampRange,\n} from '../src/a.js';\n"),
      ['name clampRange'],
    ],
    [
      'a required name',
      js('exports.clampRange = (a) => a;\n', "const { clampRange } = require('../src/a');\n"),
      ['name clampRange'],
    ],
    [
      'a new module',
      {
        reference: { 'lib/clamping.js': 'module.exports = 1;\n' },
        tests: { 'test/a.test.js': "const it = require('../lib/clamping');\n" },
        ecosystem: nodeEcosystem,
        t0: { 'a.js': 'module.exports = it' },
      },
      ['name clamping'],
    ],
    [
      'a method',
      js('class A {\n  clampAll(x) {\n    return x;\n  }\n}\n', "test('x', () => { make().clampAll(3); });\n"),
      ['name clampAll'],
    ],
    [
      'a property of what is returned',
      js('function f() {\n  return { upperBound: 1 };\n}\n', "test('x', () => { expect(g().upperBound).toBe(1); });\n"),
      ['name upperBound'],
    ],
    [
      'an option',
      js(
        'function f(a, { strictMode = false } = {}) {\n  return strictMode;\n}\n',
        "test('x', () => { g(1, { strictMode: true }); });\n",
      ),
      ['name strictMode'],
    ],
    [
      'a member of an interface',
      {
        reference: { 'src/a.ts': 'export interface Options {\n  strictMode?: boolean;\n}\n' },
        tests: { 'test/a.test.ts': "test('x', () => { g(1, { strictMode: true }); });\n" },
        ecosystem: nodeEcosystem,
      },
      ['name strictMode'],
    ],
    [
      'an error class',
      js(
        'export class RangeExceeded extends Error {}\n',
        "test('x', () => { expect(f).toThrow(errors.RangeExceeded); });\n",
      ),
      ['name RangeExceeded'],
    ],
    [
      'a message',
      js(
        "function f() { throw new TypeError('The range has no upper bound'); }\n",
        "test('x', () => { expect(g).toThrow('The range has no upper bound'); });\n",
      ),
      ['message The range has no upper bound'],
    ],
    [
      'a part of one, as a pattern',
      js(
        'function f(a) { throw new TypeError(`The range ${a.b} has no upper bound`); }\n',
        "test('x', () => { assert.throws(g, /has no (upper )?bound|no upper bound/); });\n",
        {},
      ),
      ['message no upper bound'],
    ],
    [
      'a joined message',
      js(
        "function f() { throw new Error('The range has ' +\n  'no upper bound'); }\n",
        "test('x', () => { expect(g).toThrow(/^The range has no upper bound$/); });\n",
      ),
      ['message The range has no upper bound'],
    ],
  ];
  for (const [name, given, expected] of cases)
    test(name, async () => assert.deepEqual(await undisclosed(given), expected));

  const silent: [string, Case][] = [
    [
      'a local variable',
      js(
        'function f() {\n  const totalWidth = 1;\n  return totalWidth;\n}\n',
        "test('x', () => { const totalWidth = 2; expect({ totalWidth: 1 }).toBe(totalWidth); });\n",
        { t0: { 'b.js': 'f()' } },
      ),
    ],
    [
      'the title of a test',
      js(
        "function f() { return 'something else'; }\n",
        "test('a title of its own', () => { expect(g()).toBe(1); });\n",
      ),
    ],
    [
      'a function of the tests own',
      js(
        'function makeRange() { return 1; }\n',
        "function makeRange() { return 2; }\ntest('x', () => { makeRange(); });\n",
      ),
    ],
    [
      'a module that the test itself imports',
      js(
        "import v8 from 'node:v8';\nexport const f = () => v8.startupSnapshot;\n",
        "import v8 from 'node:v8';\nimport { g } from '../src/a.js';\ntest('x', () => { g(v8); });\n",
        { t0: { 'index.js': "import a from 'a';" } },
      ),
    ],
    [
      'one that it requires, loads later, or puts a mock for',
      js(
        "const v8 = require('node:v8');\nconst yaml = require('js-yaml/dist');\nconst zlib = require('node:zlib');\n",
        "const v8 = require('node:v8');\nvi.mock('js-yaml/dist');\ntest('x', async () => { await import('node:zlib'); });\n",
      ),
    ],
    ['what stands in comments', js('// clampRange\n/* clampRange */\n', "test('x', () => { a.clampRange(); });\n")],
    [
      'a name in T0',
      js('export function clampRange() {}\n', "import { clampRange } from '../src/a.js';\n", {
        t0: { 'README.md': 'Use clampRange.' },
      }),
    ],
  ];
  for (const [name, given] of silent)
    test(`${name} is none`, async () => assert.deepEqual(await undisclosed(given), []));
});
