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
from lib import f, Bad, Store, fields
from .helpers import shown
KEY = 'k'

@pytest.fixture
def store():
    return Store(KEY)

class Own(Store):
    """What it is for."""
    size = fields.Size(default=lambda: 1)

app = Store('app')
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
  /** What is told of tests with these bodies, each as its setup and what is asked. */
  async function setups(bodies: string[], head = ''): Promise<(string | undefined)[][][]> {
    const tests = bodies.map(
      (body, number) => `def test_${number}(store, tmp_path):\n${body.replaceAll(/^/gm, '    ')}\n`,
    );
    const ids = bodies.map((_, number) => `t.py::test_${number}`);
    const { tellings } = await tell(head + tests.join('\n'), ids);
    return ids.map((id) => tellings.filter((each) => each.test === id).map((each) => [each.setup, each.expression]));
  }

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
    assert.match(files[0]?.text ?? '', /def test_assay_probe\(\):\n {4}__assay__\(4, 0, 0\)\n {4}__assay__\(0, /);
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
    if value:
        other = 3
    assert f(other) == 3
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
        ['f(2)', undefined],
      ],
    );
  });

  test('what is not said in one line, or needs the test file, is not told', async () => {
    for (const assertion of [
      'assert f(tmp_path) == 1',
      'assert shown(1) == 1',
      'assert f(1) == f(2)',
      'assert f(1) != 2',
      `assert f('${'x'.repeat(200)}') == 1`,
      'assert 1 == 1',
      'assert self_made == 1',
    ])
      assert.deepEqual((await tell(`def test_a(tmp_path):\n    ${assertion}\n`)).tellings, [], assertion);
  });

  test('what a test does to something before it asks is told, and nothing is made anew', async () => {
    const told = await setups([
      'a = []\na.append(1)\nassert f(a) == 1',
      's = Store()\ns.load_all()  # all\nassert s.x == 1\nassert s.y(\n    2) == 1',
      'store.put(1)\nassert store.get() == 1',
      'd = {}\nd["x"] = 1\nassert f(d) == 1',
      's = Store()\nt = s\nt.put(1)\nwith pytest.raises(Bad):\n    s.get(2)',
      'one = Store(1)\ntwo = Store(one)\none.put(1)\nassert two.get() == 2',
      'x = f(1)\nx = f(x)\nx += 1\nassert x == 3',
      'calls = []\ndef note(x):\n    calls.append(x)\nf(note)\nassert calls == [1]',
      'result = store.get(1)\nassert result["x"] == 1\nassert result["y"] == 2',
      'from lib import g\nassert g(1) == 2',
      'it = iter([1, 2])\nnext(it)\nassert f(it) == 2',
    ]);
    assert.deepEqual(told, [
      [['a = []\na.append(1)', 'f(a)']],
      [
        ['s = Store()\ns.load_all()', 's.x'],
        ['s = Store()\ns.load_all()', 's.y(2)'],
      ],
      [["store = Store('k')\nstore.put(1)", 'store.get()']],
      [["d = {}\nd['x'] = 1", 'f(d)']],
      [['s = Store()\nt = s\nt.put(1)', 's.get(2)']],
      [['one = Store(1)\ntwo = Store(one)\none.put(1)', 'two.get()']],
      [['x = f(1)\nx = f(x)\nx += 1', 'x']],
      [['calls = []\ndef note(x):\n    calls.append(x)\nf(note)', 'calls']],
      [
        [undefined, "Store('k').get(1)['x']"],
        [undefined, "Store('k').get(1)['y']"],
      ],
      [['from lib import g', 'g(1)']],
      [['it = iter([1, 2])\nnext(it)', 'f(it)']],
    ]);
  });

  test('classes and functions that a test defines are told without what explains them', async () => {
    const local = `class Item(Store):
    """What it is for."""
    part = fields.Part(Own, lambda x: x + 1)  # why

    def check(self, value):
        self._seen = [each for each in value]
        return f(value)

assert Item().load({'a': 1}) == {'a': 1}
`;
    const outer = 'app.put(1)\nassert app.get() == 1\nassert f(Own()).size == 1';
    const own = 'class Own(Store):\n    size = fields.Size(default=lambda: 1)';
    const check = '    def check(self, value):\n        self._seen = [each for each in value]\n        return f(value)';
    const item = `${own}\nclass Item(Store):\n    part = fields.Part(Own, lambda x: x + 1)\n\n${check}`;
    assert.deepEqual(await setups([local, outer]), [
      [[item, "Item().load({'a': 1})"]],
      [
        ["app = Store('app')\napp.put(1)", 'app.get()'],
        [own, 'f(Own()).size'],
      ],
    ]);
    assert.deepEqual(await setups([outer], 'def test_other():\n    app.clear()\n\n'), [[[own, 'f(Own()).size']]]);
  });

  test('what cannot be told for sure is not told', async () => {
    const bodies = [
      's = Store()\nif KEY:\n    s.put(1)\nassert s.get() == 1',
      's = Store()\nfor x in (1, 2):\n    s.put(x)\nassert s.get() == 1',
      's = Store()\nwith s.open():\n    assert s.get() == 1',
      's = Store()\nassert shown(s.pop()) == 1\nassert s.get() == 2',
      's = Store()\ns.put(tmp_path)\nassert s.get() == 2',
      's = shown()\ns.put(1)\nassert s.get() == 2',
      'import os\nos.environ["x"] = "1"\ns = Store(os)\nassert s.get() == 2',
      's = Store()\ndef inner():\n    assert s.get(1) == 2\ninner()',
      'items = [Store()]\nfor item in items:\n    item.put(1)\nassert f(items) == 2',
      `s = Store()\ns.put('${'x'.repeat(120)}')\nassert s.get() == 2`,
      `s = Store()\n${'s.put(1)\n'.repeat(6)}assert s.get() == 2`,
      's = Store()\ns.put("`")\nassert s.get() == 2',
      's = Store()\ns._put(1)\nassert s.get() == 2',
      'a = [f(1)]\nassert shown(a.pop()) == 1\nassert f(a) == 2',
    ];
    assert.deepEqual(
      (await setups(bodies)).map((told, number) => [bodies[number], told]),
      bodies.map((body) => [body, []]),
    );
  });

  test('a probe sets up for itself, and one that cannot be set up is not observed', async () => {
    const { files } = await tell('def test_a():\n    a = []\n    a.append(1)\n    assert f(a) == 1\n');
    const probe = `    __assay__(1, 0, 0)
    def set_up():
        a = []
        a.append(1)
        __assay__(0, __assay__.later(lambda: (f(a))), __assay__.later(lambda: (1)))
    try:
        set_up()
    except Exception:
        pass
    __assay__(2, 0, 0)
`;
    assert.ok(files[0]?.text.endsWith(`def test_assay_probe():\n${probe}`), files[0]?.text);
  });

  test('calls of one thing with the same values have the same inputs, values of the setup among them', async () => {
    const { tellings } = await tell(`def test_a():
    assert f('a')['x'] == 1
    assert len(f('a')) == 2
    assert f('b') == 2
    s = Store('s')
    s.put(1)
    assert s.get('x').a == 1
    assert s.get('x').b == 2
    s.put(2)
    assert s.get('x').a == 3
`);
    const [one, two, three, four, five, six] = tellings.map(({ inputs }) => inputs);
    assert.deepEqual([one, four], [two, five]);
    assert.equal(new Set([one, three, four, six]).size, 4);
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

  test('where T0 stopped on the way, nothing is told of what it did not come to', async () => {
    const line = (site: number): string =>
      `${JSON.stringify([
        't.py::test_assay_probe',
        site,
        'value',
        [
          ['i', '1'],
          ['i', '1'],
        ],
      ])}\n`;
    const others = { probe: 'u.py#0', test: 'u.py::test_a', site: 9, kind: 'equals', expression: 'g(1)', inputs: '' };
    const tellings = [0, 1, 2, 3].map((site) => ({
      probe: `t.py#${site}`,
      test: 't.py::test_a',
      site,
      kind: 'equals',
      expression: `f(${site})`,
      inputs: '',
    }));
    const probes = async (before: number[]): Promise<number[]> => {
      const observed = {
        reference: `${[4, 0, 1, 2, 3, 5].map(line).join('')}${line(0).replace('t.py', 'u.py')}`,
        before: before.map((site) => line(site).replace('"1"', '"2"')).join(''),
      };
      const { told: found } = await ask<ToldProbes>({ mode: 'told', tellings: [...tellings, others], ...observed });
      return found.map(({ probe }) => (probe.startsWith('u.') ? 9 : Number(probe.split('#')[1])));
    };
    assert.deepEqual(await probes([4, 0, 2, 3, 5]), [0, 1, 2, 3, 9]);
    assert.deepEqual(await probes([4, 0]), [0, 1]);
    assert.deepEqual(await probes([4]), [0]);
    assert.deepEqual(await probes([]), [0, 1, 2, 3, 9]);
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
