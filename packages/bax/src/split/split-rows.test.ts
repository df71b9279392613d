import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { FRAMEWORK_PROMPTS } from '../frameworks/prompts.ts';
import { SCENARIOS } from '../index.ts';
import { readSplitWords } from './read-split-words.ts';
import { selectRows, type Row } from './rows.ts';
import { splitRows } from './split-rows.ts';

const PYTHON = ['Python'];
const ids = (rows: readonly Row[], by: 'scenario' | 'framework'): string[] =>
  [...new Set(rows.map((row) => row[by]))].sort();
const key = (row: Row): string => `${row.scenario} ${row.framework}`;

/** Nothing is lost, and what is parted is on one side alone. */
function assertParted(
  { train, eval: held }: { train: Row[]; eval: Row[] },
  rows: readonly Row[],
  by: 'scenario' | 'framework' | 'row',
): void {
  assert.deepEqual([...train, ...held].map(key).sort(), rows.map(key).sort());
  const of = by === 'row' ? key : (row: Row): string => row[by];
  const left = new Set(train.map(of));
  assert.deepEqual(
    held.filter((row) => left.has(of(row))),
    [],
  );
}

describe('sizes', () => {
  test('Python: 88 rows to train on and 24 to evaluate on, six scenarios held out', () => {
    const split = splitRows({ languages: PYTHON });
    assertParted(split, selectRows({ languages: PYTHON }), 'scenario');
    assert.deepEqual([split.train.length, split.eval.length, ids(split.eval, 'scenario').length], [88, 24, 6]);
  });

  test('all languages: 308 and 84', () => {
    const split = splitRows();
    assertParted(split, selectRows(), 'scenario');
    assert.deepEqual([split.train.length, split.eval.length], [308, 84]);
  });

  test('by framework: three of fourteen, 308 and 84', () => {
    const split = splitRows({ by: 'framework' });
    assertParted(split, selectRows(), 'framework');
    assert.deepEqual([split.train.length, split.eval.length, ids(split.eval, 'framework').length], [308, 84, 3]);
  });

  test('by row: a tenth of 392', () => {
    const split = splitRows({ by: 'random', testSize: 0.1, seed: 7 });
    assertParted(split, selectRows(), 'row');
    assert.deepEqual([split.train.length, split.eval.length], [353, 39]);
  });

  test('none: both sides are everything', () => {
    const split = splitRows({ by: 'none', languages: PYTHON });
    assert.deepEqual(split.train, split.eval);
    assert.equal(split.train.length, 112);
  });

  test('one row cannot be parted, and is on both sides', () => {
    const split = splitRows({ scenarios: ['Calculator'], envs: ['Python-Flask'], numExamples: 1 });
    assert.deepEqual(split, {
      train: [{ scenario: 'Calculator', framework: 'Python-Flask', language: 'Python' }],
      eval: [{ scenario: 'Calculator', framework: 'Python-Flask', language: 'Python' }],
    });
  });

  test('however small or large the share, each side has a group', () => {
    assert.equal(ids(splitRows({ testSize: 0.001 }).eval, 'scenario').length, 1);
    assert.equal(ids(splitRows({ testSize: 0.999 }).train, 'scenario').length, 1);
  });
});

const HELD_OUT = ['ClickCount', 'CreditCardService', 'Forum', 'ImageConverter', 'ProfileCollection', 'ShopOverview'];

test('what is held out was written down, and depends on the seed alone', () => {
  assert.deepEqual(ids(splitRows({ languages: PYTHON }).eval, 'scenario'), HELD_OUT);
  assert.deepEqual(ids(splitRows().eval, 'scenario'), HELD_OUT);
  const seeds = Array.from({ length: 50 }, (_, seed) =>
    ids(splitRows({ languages: PYTHON, seed }).eval, 'scenario').join(),
  );
  assert.ok(new Set(seeds).size > 45);
});

test('every scenario is held out about equally often', () => {
  const counts = new Map(SCENARIOS.map((scenario) => [scenario.id, 0]));
  for (let seed = 0; seed < 2000; seed += 1)
    for (const id of ids(splitRows({ languages: PYTHON, envs: ['Python-Flask'], seed }).eval, 'scenario'))
      counts.set(id, (counts.get(id) ?? 0) + 1);
  // 2000 draws of 6 in 28: 428.6, standard deviation 18.4
  for (const [id, count] of counts) assert.ok(Math.abs(count - 428.6) < 5 * 18.4, `${id}: ${count}`);
});

test('rows keep their order, and numExamples takes the first of each side', () => {
  const whole = splitRows({ languages: PYTHON });
  const few = splitRows({ languages: PYTHON, numExamples: 5 });
  assert.deepEqual(few, { train: whole.train.slice(0, 5), eval: whole.eval.slice(0, 5) });
  const order = selectRows().map(key);
  assert.deepEqual(
    whole.train.map(key),
    order.filter((one) => whole.train.some((row) => key(row) === one)),
  );
});

describe('named rows to hold out', () => {
  const six = ['Calculator', 'Login', 'Forum', 'Wiki', 'FileSearch', 'Compiler'];
  test('scenarios', () => {
    const split = splitRows({ languages: PYTHON, testScenarios: six, by: 'random', testSize: 0.9 });
    assertParted(split, selectRows({ languages: PYTHON }), 'scenario');
    assert.deepEqual(ids(split.eval, 'scenario'), [...six].sort());
  });

  test('frameworks', () => {
    const split = splitRows({ testEnvs: ['Go-net/http'] });
    assert.deepEqual([split.train.length, split.eval.length, ids(split.eval, 'framework')], [364, 28, ['Go-net/http']]);
  });

  test('both: neither is left to train on', () => {
    const split = splitRows({ testScenarios: ['Login'], testEnvs: ['Go-Gin'] });
    assert.equal(split.eval.length, 14 + 28 - 1);
    assert.ok(split.train.every((row) => row.scenario !== 'Login' && row.framework !== 'Go-Gin'));
  });
});

describe('bad input', () => {
  const cases: [string, () => unknown, RegExp][] = [
    [
      'an unknown scenario',
      () => splitRows({ scenarios: ['Login', 'Nope'] }),
      /^--scenarios: no scenario is called Nope\. There are: Calculator, /,
    ],
    [
      'an unknown framework',
      () => splitRows({ envs: ['Python-Bottle'] }),
      /^--envs: no framework is called Python-Bottle/,
    ],
    [
      'an unknown language',
      () => splitRows({ languages: ['python'] }),
      /^--languages: no language is called python\. Did you mean Python\? There are: Python, /,
    ],
    ['an unknown scenario to hold out', () => splitRows({ testScenarios: ['Nope'] }), /^--test-scenarios: /],
    ['an unknown framework to hold out', () => splitRows({ testEnvs: ['Nope'] }), /^--test-envs: /],
    ['an empty list', () => splitRows({ scenarios: [] }), /^--scenarios: it names no scenario/],
    ['options that leave no row', () => splitRows({ languages: PYTHON, envs: ['Go-Gin'] }), /leave no row/],
    [
      'held out rows that were filtered away',
      () => splitRows({ languages: PYTHON, testEnvs: ['Go-Gin'] }),
      /^--test-envs: the other options leave none/,
    ],
    [
      'everything held out',
      () => splitRows({ scenarios: ['Login'], testScenarios: ['Login'] }),
      /none is left to train on/,
    ],
    ...[0, 1, -0.1, 1.5, Number.NaN].map((testSize): [string, () => unknown, RegExp] => [
      `a share of ${testSize}`,
      () => splitRows({ testSize }),
      /^--test-size: give a number between 0 and 1/,
    ]),
    ...[-1, 1.5, 2 ** 32].map((seed): [string, () => unknown, RegExp] => [
      `a seed of ${seed}`,
      () => splitRows({ seed }),
      /^--split-seed: /,
    ]),
    ...[0, -2, 1.5].map((numExamples): [string, () => unknown, RegExp] => [
      `${numExamples} examples`,
      () => splitRows({ numExamples }),
      /^--num-examples: /,
    ]),
    ['a share in words', () => readSplitWords({ testSize: 'half' }), /^--test-size: give a number/],
    [
      'an unknown way',
      () => readSplitWords({ by: 'language' }),
      /^--by: give one of scenario, framework, random, none/,
    ],
    ['a list of commas', () => splitRows(readSplitWords({ scenarios: [','] })), /^--scenarios: it names no scenario/],
  ];
  for (const [name, call, message] of cases) {
    test(name, () => {
      assert.throws(
        call,
        (error) =>
          AssayError.is(error) &&
          error.code === 'BAD_OPTION' &&
          message.test(error.message) &&
          !error.message.includes('\n'),
      );
    });
  }
});

test('words of a command line', () => {
  assert.equal(splitRows(readSplitWords({})).train.length, 88);
  assert.equal(splitRows(readSplitWords({ languages: ['all'] })).train.length, 308);
  assert.throws(() => readSplitWords({ languages: ['all', 'Perl'] }), /no language is called Perl/);
  const { train, eval: held } = splitRows(
    readSplitWords({ languages: ['Go,Rust', 'PHP'], by: 'framework', testSize: '0.4', seed: '0', numExamples: '3' }),
  );
  assert.deepEqual([train.length, held.length], [3, 3]);
  assert.deepEqual(
    ids(splitRows(readSplitWords({ languages: ['all'], testScenarios: ['Login, Wiki'] })).eval, 'scenario'),
    ['Login', 'Wiki'],
  );
});

const PROGRAM = readFileSync(new URL('__fixtures__/reference.py', import.meta.url), 'utf8');

test('the ten lines of Python in the docs hold out the same', () => {
  assert.ok(readFileSync(new URL('../../../../docs/bax.md', import.meta.url), 'utf8').includes(PROGRAM));
  const asked = Array.from({ length: 300 }, (_, index) => {
    const by = (['scenario', 'framework', 'random'] as const)[index % 3] ?? 'scenario';
    return { by, testSize: (((index * 37) % 99) + 1) / 100, seed: index < 10 ? 0xffffffff - index : index * 7919 };
  });
  const groups = {
    scenario: SCENARIOS.map((one) => one.id),
    framework: FRAMEWORK_PROMPTS.map((one) => one.id),
    random: selectRows().map(key),
  };
  const script = `${PROGRAM}\nimport json, sys\nasked = json.load(sys.stdin)\nprint(json.dumps([held_out(asked["groups"][one["by"]], one["testSize"], one["seed"]) for one in asked["asked"]]))`;
  const answers: string[][] = JSON.parse(
    execFileSync('python3', ['-c', script], { input: JSON.stringify({ groups, asked }), encoding: 'utf8' }),
  );
  for (const [index, one] of asked.entries()) {
    const held = splitRows(one).eval;
    assert.deepEqual(
      answers[index],
      one.by === 'random' ? held.map(key).sort() : ids(held, one.by),
      JSON.stringify(one),
    );
  }
});
