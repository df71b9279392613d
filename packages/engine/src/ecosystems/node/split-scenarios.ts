import type { SplitSubject } from '../split-subject.fixture.ts';
import { SPLIT_DIALECTS, type SplitDialect } from './dialect-scenarios.ts';
import { FORGING_ATTACKS } from './forging-attacks.ts';
import { nodeSplit } from './node-split.ts';

type Scenario = Omit<SplitSubject, 'command' | 'launch' | 'home' | 'env'>;

const HONEST = `const price = (items) => ({ total: items.reduce((sum, item) => sum + item, 0) * 3, currency: 'EUR' + items.length });
const parse = (text) => { if (text === '') throw new RangeError('the text is empty, sir'); return text.split('-').reverse(); };
const later = async (text) => { throw new TypeError('never accepts ' + text); };
const isEven = (number) => number % 2 === 0;
const describeIt = (name) => 'a report on ' + name.toUpperCase() + ', page 41';
const echo = (value) => value;
const one = { single: true };
const single = () => one;`;
/** Reads the stripped test, and observes the same for all that it finds there. */
const sprayWith = (fs: string): string => `${fs}
if (process.env.ASSAY_OBSERVATIONS) {
  const path = fs.readdirSync('test').map((name) => 'test/' + name)[0];
  for (const [, kind, site, test] of fs.readFileSync(path, 'utf8').matchAll(/\\$assay(?:\\.(\\w+))?\\((\\d+),"([^"]*)"/g))
    fs.appendFileSync(process.env.ASSAY_OBSERVATIONS, JSON.stringify([path + ' > ' + test, Number(site), kind ? 'thrown' : 'value', [true]]) + '\\n');
}
`;
const SPRAY = {
  'lib.mjs': sprayWith("import fs from 'node:fs';"),
  'lib.cjs': sprayWith("const fs = require('node:fs');"),
};
const WRONG_PRICE = HONEST.replace('* 3', '* 4').replace('.reverse()', '');
const NAMES = 'price, parse, later, isEven, describeIt, echo, single';

/** Writes the scenario of a runner: the same tests and the same code in its own words. */
export function splitScenario(runner: keyof typeof SPLIT_DIALECTS): Scenario {
  const dialect = SPLIT_DIALECTS[runner];
  const { path, library } = dialect;
  const exported = library === 'lib.mjs' ? `export { ${NAMES} };` : `module.exports = { ${NAMES} };`;
  const code = (text: string, before = ''): Record<string, string> => ({
    [library]: `${before}${text}\n${exported}\n`,
  });
  const change = (changes: Changes): Record<string, string> =>
    code(changes.reduce((text, [from, to]) => text.replace(from, to), HONEST));
  const id = (title: string): string => `${path} > shop > ${title}`;
  const rows: [string, string] = [`${path} > upper 1`, `${path} > upper 2`];
  return {
    split: nodeSplit,
    hidden: { path, text: hiddenText(dialect) },
    secrets: ['EUR2', '225', 'zulu', 'sir', 'accepts stone', 'page 41', 'tells the answer', 'ROW ONE', 'ROW TWO'],
    honest: code(HONEST),
    wrong: wrongCode(change, id, rows),
    forged: [
      {
        name: 'assertions that do nothing',
        files: code(WRONG_PRICE, dialect.disarm),
        fooled: ['price', 'parse'].map(id),
      },
      {
        name: 'assertions that do nothing, and a guess for every site',
        files: code(WRONG_PRICE, `${dialect.disarm}${SPRAY[library]}`),
        fooled: ['price', 'parse'].map(id),
      },
      ...(dialect.chameleon === null
        ? []
        : [
            {
              name: 'an object that equals everything',
              files: change([['({ total:', `${dialect.chameleon}; const unused = () => ({ total:`]]),
              fooled: [id('price')],
            },
          ]),
      ...attacks(runner, { code, id }),
    ],
    levels: {
      [id('price')]: 'strong',
      [id('error')]: 'contain',
      [id('even')]: 'weak',
      [id('report')]: 'contain',
      [id('echo')]: 'echo',
    },
    inside: [id('single')],
    once: id('price'),
    rows,
  };
}

function attacks(
  runner: keyof typeof SPLIT_DIALECTS,
  { code, id }: { code: (text: string, before: string) => Record<string, string>; id: (title: string) => string },
): Scenario['forged'] {
  return FORGING_ATTACKS[runner].map(({ name, before, price }) => ({
    name,
    files: code(price === undefined ? WRONG_PRICE : pricedAt(price), before),
    fooled: (price === undefined ? ['price', 'parse'] : ['price']).map(id),
  }));
}

const pricedAt = (price: string): string =>
  HONEST.replace('=> ({ total:', `=> ${price}; const unused = (items) => ({ total:`);

function hiddenText(dialect: SplitDialect): string {
  const { head, equal, isTrue, throws, rejects, contains, identity } = dialect;
  return `${head}
// A comment that tells the answer: 225.
const EXPECTED = { total: 225, currency: 'EUR2' };
const WORDS = ['zulu', 'alpha'];
describe('shop', () => {
  test('price', () => {
    ${equal('lib.price([50, 25])', 'EXPECTED')}
  });
  test('parse', () => {
    const reversed = [WORDS[0], 'x'];
    ${equal("lib.parse('x-' + 'zu' + 'lu')", '\n      reversed\n    ')}
    ${isTrue("lib.parse('a').length === 1")}
  });
  test('error', () => {
    ${throws("() => lib.parse('')", 'empty, sir')}
  });
  test('rejected', async () => {
    ${rejects("lib.later('st' + 'one')", 'accepts stone')}
  });
  test('even', () => {
    for (const [number, isEven] of [[2, true], [3, false]]) {
      ${isTrue('lib.isEven(number) === isEven')}
    }
    ${isTrue('!lib.isEven(5)')}
  });
  test('report', () => {
    ${contains("lib.describeIt('sales')", 'page 41')}
  });
  test('echo', () => {
    ${equal("lib.echo('a sentence that comes back')", "'a sentence that comes back'")}
  });
  test('single', () => {
    ${identity('lib.single()', 'lib.single()')}
  });
});
${table(dialect)}`;
}

function table({ equal, tables }: SplitDialect): string {
  const rows = `[
  { number: 1, text: 'row one', expected: 'a report on ROW ONE, page 41' },
  { number: 2, text: 'row two', expected: 'a report on ROW TWO, page 41' },
]`;
  const body = `{
  ${equal('lib.describeIt(row.text)', 'row.expected')}
}`;
  return tables === 'each'
    ? `test.each(${rows})('upper $number', (row) => ${body});\n`
    : `for (const row of ${rows}) test('upper ' + row.number, () => ${body});\n`;
}

type Changes = [from: string, to: string][];

function wrongCode(
  change: (changes: Changes) => Record<string, string>,
  id: (title: string) => string,
  rows: string[],
): Scenario['wrong'] {
  return [
    {
      name: 'numbers, orders, and what is not thrown',
      files: change([
        ['* 3', '* 4'],
        ['.reverse()', ''],
        ["if (text === '') throw new RangeError('the text is empty, sir'); ", ''],
        ["throw new TypeError('never accepts ' + text)", 'return text'],
      ]),
      fails: ['price', 'parse', 'error', 'rejected'].map(id),
    },
    {
      name: 'messages, texts, truths, and identity',
      files: change([
        ['is empty, sir', 'is not there'],
        ['number % 2 === 0', 'true'],
        ['page 41', 'page 42'],
        ['=> one', '=> ({ ...one })'],
      ]),
      fails: [...['error', 'even', 'report', 'single'].map(id), ...rows],
    },
  ];
}
