import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { allowsSeries } from './allows-series.ts';
import { chooseInterpreter, interpreterWish } from './choose-interpreter.ts';
import type { PythonInterpreter } from './find-interpreters.ts';
import { parseIni } from './parse-ini.ts';

const installed: PythonInterpreter[] = [7, 8, 9, 10, 11, 12, 13].map((minor) => ({
  version: `3.${minor}.1`,
  minor,
  patch: 1,
  prefix: `/p/${minor}`,
  executable: `/p/${minor}/bin/python3`,
  stdlib: `/p/${minor}/lib`,
}));
const choose = (requires: string, named: number[], t0: string, from = installed): number =>
  chooseInterpreter(from, { requires, named }, new Date(t0)).minor;

describe('chooseInterpreter', () => {
  test('the newest settled series when nothing is said', () => {
    assert.equal(choose('', [], '2023-06-01'), 11);
    assert.equal(choose('', [], '2024-11-15'), 12, '3.13 is five weeks old');
    assert.equal(choose('', [], '2025-01-15'), 13);
  });
  test('the newest that is named', () => {
    assert.equal(choose('>=3.7', [7, 8, 9, 10], '2023-06-01'), 10);
    assert.equal(choose('>=3.7,<3.10', [], '2023-06-01'), 9);
  });
  test('a neighbour when the best is not installed', () => {
    assert.equal(
      choose(
        '',
        [8, 9],
        '2021-06-01',
        installed.filter(({ minor }) => minor !== 9),
      ),
      8,
    );
    assert.equal(choose('', [5, 6], '2018-12-01'), 7);
    assert.equal(choose('>=3.8', [8], '2019-01-01'), 8, 'not settled, but the only one that is allowed and near');
  });
  test('nothing fits', () => {
    assert.throws(
      () => choose('<3', [], '2015-01-01'),
      (error) => AssayError.is(error) && error.code === 'INTERPRETER_MISSING',
    );
    assert.throws(
      () => choose('>=3.20', [], '2023-01-01'),
      (error) => AssayError.is(error) && error.code === 'INTERPRETER_MISSING',
    );
  });
});

test('allowsSeries', () => {
  const cases: Array<[string, number[]]> = [
    ['', [7, 8, 13]],
    ['>=3.8', [8, 13]],
    ['>= 3.8, < 3.12', [8]],
    ['>=2.7, !=3.0.*, !=3.1.*', [7, 8, 13]],
    ['~=3.8', [8, 13]],
    ['~=3.8.2', [8]],
    ['^3.8', [8, 13]],
    ['==3.8.*', [8]],
    ['3.8', [8]],
    ['<4', [7, 8, 13]],
    ['>=3.7,!=3.8.*,<3.9 || >=3.13', [7, 13]],
    ['<=3.8', [7, 8]],
    ['>=3.8.1,<4.0', [8, 13]],
    ['nonsense', [7, 8, 13]],
  ];
  for (const [specifier, expected] of cases) {
    assert.deepEqual(
      [7, 8, 13].filter((minor) => allowsSeries(specifier, minor)),
      expected,
      specifier,
    );
  }
  assert.equal(allowsSeries('!=3.8.*', 8), false);
  assert.equal(allowsSeries('!=3.8.2', 8), true);
});

test('interpreterWish reads every manifest', () => {
  const none = { pyproject: {}, setupCfg: parseIni(''), tox: parseIni(''), setupPy: '', root: [] };
  assert.deepEqual(
    interpreterWish({
      ...none,
      setupPy: "setup(python_requires='>=3.5', classifiers=['Programming Language :: Python :: 3.7'])",
    }),
    { requires: '>=3.5', named: [7] },
  );
  assert.deepEqual(
    interpreterWish({
      ...none,
      setupCfg: parseIni(
        '[options]\npython_requires = >= 3.6\n[metadata]\nclassifiers =\n    Programming Language :: Python :: 3.9\n',
      ),
    }),
    { requires: '>= 3.6', named: [9] },
  );
  assert.deepEqual(
    interpreterWish({
      ...none,
      tox: parseIni('[tox]\nenvlist =\n    py3{12,11,10,py3}\n    pypy39\n    py{38,37}-{a,b}, py3.13\n'),
    }).named,
    [7, 8, 10, 11, 12, 13],
  );
  assert.deepEqual(
    interpreterWish({ ...none, pyproject: { tool: { poetry: { dependencies: { python: '^3.9' } } } } }).requires,
    '^3.9',
  );
});
