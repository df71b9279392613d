import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@assay/sandbox';
import type { Probes, Telling, ToldProbe, ToldProbes } from '../../split-facet.ts';

const TOOL = fileURLToPath(new URL('tool.py', import.meta.url));
const HEAD = `import pytest
import unittest
from lib import f, Bad, Store
from .helpers import shown
KEY = 'k'

@pytest.fixture
def store():
    return Store(KEY)

class Own:
    pass
`;

describe('the tool that tells what Python tests ask for', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-tell-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function ask<T>(request: object): Promise<T> {
    const path = join(directory, 'request.json');
    await writeFile(path, JSON.stringify(request));
    const { exitCode, stdout, stderr } = await runCommand(['python3', '-I', '-S', TOOL, path], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    assert.equal(exitCode, 0, stderr.toString());
    return JSON.parse(stdout.toString()) as T;
  }

  const tell = (body: string, ids = ['t.py::test_a']): Promise<Probes> =>
    ask({ mode: 'tell', runner: 'pytest', files: [{ path: 't.py', text: HEAD + body }], ids, wanted: ids });

  async function told(telling: Partial<Telling>, reference: unknown[], earlier: unknown[]): Promise<ToldProbe | null> {
    const line = (leaves: unknown[]): string => `${JSON.stringify(['t.py::test_assay_probe', 0, 'value', leaves])}\n`;
    const observed = { reference: line(reference), before: earlier.length === 0 ? '' : line(earlier) };
    const tellings = [
      { probe: 't.py#0', test: 't.py::test_a', site: 0, kind: 'equals', expression: 'f(1)', ...telling },
    ];
    return (await ask<ToldProbes>({ mode: 'told', tellings, ...observed })).told[0] ?? null;
  }

  test('values take the place of the names of a test: rows, constants, fixtures, variables', async () => {
    const rows = `
@pytest.mark.parametrize('text, count', [('x', 1), ('y', 2)])
def test_a(text, count, store):
    options = {'strict': True}
    assert f(text, **options) == count
    assert store.load(KEY) is None
    with pytest.raises(Bad):
        f(KEY)
`;
    const { tellings, files } = await tell(rows, ['t.py::test_a[x]', 't.py::test_a[y]']);
    assert.deepEqual(
      tellings.filter(({ test: id }) => id.endsWith('[y]')).map(({ kind, expression }) => [kind, expression]),
      [
        ['equals', "f('y', **{'strict': True})"],
        ['equals', "Store('k').load('k')"],
        ['raises', "f('k')"],
      ],
    );
    assert.match(files[0]?.text ?? '', /def test_assay_probe\(\):\n {4}__assay__\(0, /);
    assert.doesNotMatch(files[0]?.text ?? '', /def test_a\(/);
  });

  test('a name that is bound again has its latest value; tables on tables are one row; words of an exception', async () => {
    const body = `
@pytest.mark.parametrize('fmt', ['s', 'ms'])
@pytest.mark.parametrize('value', [True, -1])
def test_a(fmt, value):
    field = Store(fmt)
    assert field.load(value) == 1
    field = f(fmt)
    with pytest.raises(Bad, match='Not a valid date.'):
        field.load(value)
    if value:
        other = 1
    other = 2
    assert f(other) == 1
`;
    const { tellings } = await tell(
      body,
      ['True-s', 'True-ms', '-1-s', '-1-ms'].map((row) => `t.py::test_a[${row}]`),
    );
    assert.deepEqual(
      tellings.filter(({ test: id }) => id.includes('[True-ms]')).map(({ expression, says }) => [expression, says]),
      [
        ["Store('ms').load(True)", undefined],
        ["f('ms').load(True)", 'Not a valid date.'],
      ],
    );
  });

  test('what is not said in one line, or needs the test file, is not told', async () => {
    for (const assertion of [
      'assert f(Own()) == 1',
      'assert f(tmp_path) == 1',
      'assert shown(1) == 1',
      'assert f(1) == f(2)',
      'assert f(lambda: 1) == 1',
      'assert f(1) != 2',
      `assert f('${'x'.repeat(200)}') == 1`,
      'assert 1 == 1',
      'assert self_made == 1',
    ])
      assert.deepEqual((await tell(`def test_a(tmp_path):\n    ${assertion}\n`)).tellings, [], assertion);
  });

  test('calls of one thing with the same values have the same inputs', async () => {
    const { tellings } = await tell(`def test_a():
    assert f('a')['x'] == 1
    assert len(f('a')) == 2
    assert f('b') == 2
`);
    const [one, two, three] = tellings.map(({ inputs }) => inputs);
    assert.equal(one, two);
    assert.notEqual(one, three);
  });

  test('a value, an exception, and a name that is not there yet', async () => {
    const late = (name: string, text: string): unknown => ['late', ['x', [`lib.${name}`, 'builtins.object'], text]];
    const ten = ['i', 'a'];
    assert.deepEqual(await told({}, [ten, ten], [['l', ['b']], ten]), {
      probe: 't.py#0',
      expected: '10',
      before: { does: 'returns', text: "['b']", message: null },
    });
    assert.deepEqual((await told({}, [ten, ten], [late('Bad', 'no number'), ten]))?.before, {
      does: 'raises',
      text: 'Bad',
      message: 'no number',
    });
    const expression = 'lib.f(1)';
    const missing = [late('AttributeError', "module 'lib' has no attribute 'f'"), ten];
    assert.equal((await told({ expression }, [ten, ten], missing))?.before?.does, 'absent');
    const other = [late('AttributeError', "'NoneType' object has no attribute 'group'"), ten];
    assert.equal((await told({ expression }, [ten, ten], other))?.before?.does, 'raises');
    assert.equal((await told({}, [ten, ten], []))?.before, null);
    assert.deepEqual(await told({ kind: 'raises', raises: 'Bad' }, [late('Bad', '')], [null]), {
      probe: 't.py#0',
      expected: 'Bad',
      before: { does: 'returns', text: 'None', message: null },
    });
  });

  test('what T0 does too, what the reference does otherwise, and what nobody can write down is not told', async () => {
    assert.equal(await told({}, ['a', 'a'], ['a', 'a']), null);
    assert.equal(await told({}, ['b', 'a'], ['c', 'a']), null);
    assert.equal(
      await told(
        {},
        [
          ['o', ['lib.X']],
          ['o', ['lib.X']],
        ],
        ['c', 'a'],
      ),
      null,
    );
    assert.equal(await told({}, ['x'.repeat(300), 'x'.repeat(300)], ['c', 'a']), null);
    assert.equal(await told({ kind: 'truth' }, [['i', '1'], true], [false, true]), null);
  });
});
