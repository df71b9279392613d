import { posix } from 'node:path';
import type { SourceFunction, TestedCall, TestPlace } from '../../function-facet.ts';

/** How a runner's tests are written: what they load, and one test. `assert` compares strictly. */
interface Dialect {
  /** What it loads from where; none for what is there by itself. */
  loads: Readonly<Record<string, string>>;
  test(title: string, body: string): string;
  equal(asked: string, expected: string): string;
  throws(asked: string, name: string): string;
}

const block = (head: string, body: string): string => `${head} => {\n  ${body}\n});`;
const byAssert = {
  equal: (asked: string, expected: string) => `assert.deepStrictEqual(${asked}, ${expected});`,
  throws: (asked: string, name: string) => `assert.throws(() => ${asked}, ${name});`,
};
const byExpect = {
  equal: (asked: string, expected: string) => `expect(${asked}).toEqual(${expected});`,
  throws: (asked: string, name: string) => `expect(() => ${asked}).toThrow(${name});`,
};
const DIALECTS: Readonly<Record<string, Dialect>> = {
  'node:test': {
    loads: { '{ test }': 'node:test', assert: 'node:assert' },
    test: (title, body) => block(`test('${title}', ()`, body),
    ...byAssert,
  },
  mocha: { loads: { assert: 'assert' }, test: (title, body) => block(`it('${title}', ()`, body), ...byAssert },
  vitest: {
    loads: { '{ expect, test }': 'vitest' },
    test: (title, body) => block(`test('${title}', ()`, body),
    ...byExpect,
  },
  jest: { loads: {}, test: (title, body) => block(`test('${title}', ()`, body), ...byExpect },
  ava: {
    loads: { test: 'ava' },
    test: (title, body) => block(`test('${title}', (t)`, body),
    equal: (asked, expected) => `t.deepEqual(${asked}, ${expected});`,
    throws: (asked, name) => `t.throws(() => ${asked}, { instanceOf: ${name} });`,
  },
  tape: {
    loads: { test: 'tape' },
    test: (title, body) => block(`test('${title}', (t)`, `${body}\n  t.end();`),
    equal: (asked, expected) => `t.deepEqual(${asked}, ${expected});`,
    throws: (asked, name) => `t.throws(() => ${asked}, ${name});`,
  },
};

export const NODE_DIALECTS: readonly string[] = Object.keys(DIALECTS);

export interface Target {
  path: string;
  found: SourceFunction;
}

/** Whether a test file imports, as the example does. */
export const isModuleAt = ({ path, example }: TestPlace): boolean =>
  /\.m[jt]s$|\.tsx?$/.test(path) || /^\s*import\s[^(]*['"]/m.test(example?.text ?? '');

/** What a test file begins with: the runner's own, then the function. */
export function headOf(place: TestPlace, { path, found: { name, binding } }: Target): string[] {
  const isModule = isModuleAt(place);
  const load = (what: string, from: string): string =>
    isModule ? `import ${what} from '${from}';` : `const ${what} = require('${from}');`;
  const from = specifierOf(place, path);
  const own =
    binding.kind === 'default'
      ? [isModule || !binding.isModule ? load(name, from) : `const { default: ${name} } = require('${from}');`]
      : binding.kind === 'named' && (binding.isModule || !isModule)
        ? [load(`{ ${name} }`, from)]
        : [load('target', from), `const { ${name} } = target;`];
  const loads = Object.entries(DIALECTS[place.runner]?.loads ?? {}).map(([what, module]) => load(what, module));
  return [...loads, ...own];
}

/** How the test file calls the source: as the example calls others, with the ending or without. */
function specifierOf({ path, runner, example }: TestPlace, source: string): string {
  const relative = posix.relative(posix.dirname(path), source);
  const specifier = relative.startsWith('.') ? relative : `./${relative}`;
  if (!/\.[cm]?tsx?$/.test(source) || runner === 'node:test') return specifier;
  const ending = /from\s+['"]\.[^'"]*(\.[cm]?[jt]s)['"]/.exec(example?.text ?? '')?.[1];
  return specifier.replace(/\.([cm]?)tsx?$/, ending === undefined ? '' : ending);
}

export function testOf(runner: string, title: string, called: string, { result, expected }: Expected): string {
  const dialect = DIALECTS[runner];
  if (!dialect) return '';
  if (result.does === 'raises') return dialect.test(title, dialect.throws(called, result.name ?? 'Error'));
  return dialect.test(title, dialect.equal(result.does === 'yields' ? `[...${called}]` : called, expected));
}

interface Expected extends Pick<TestedCall, 'result'> {
  expected: string;
}

export const testBlock = (runner: string, title: string, lines: readonly string[]): string =>
  DIALECTS[runner]?.test(title, lines.join('\n  ')) ?? '';
