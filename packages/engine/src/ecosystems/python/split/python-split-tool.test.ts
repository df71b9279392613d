import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@assay/sandbox';
import type { ControlTests, Evaluation, Guesses, Rewritten } from '../../split-facet.ts';

const TOOL = fileURLToPath(new URL('tool.py', import.meta.url));
const HEAD = 'import pytest\nimport unittest\nfrom lib import f, Bad\n';

describe('the tool that strips Python tests', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-split-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  async function ask<T>(request: object, lines: string[] = []): Promise<T> {
    const observations = join(directory, 'observations.jsonl');
    await writeFile(observations, lines.map((line) => `${line}\n`).join(''));
    await writeFile(join(directory, 'request.json'), JSON.stringify({ ...request, observations }));
    const { exitCode, stdout, stderr } = await runCommand(
      ['python3', '-I', '-S', TOOL, join(directory, 'request.json')],
      { env: { PATH: process.env['PATH'] ?? '' } },
    );
    assert.equal(exitCode, 0, stderr.toString());
    return JSON.parse(stdout.toString()) as T;
  }

  const strip = (body: string, ids = ['t.py::test_a']): Promise<Rewritten> =>
    ask({
      mode: 'rewrite',
      runner: 'pytest',
      files: [{ path: 't.py', text: HEAD + body }],
      before: [],
      ids,
      wanted: ids,
      native: {},
    });

  const planOf = ({ expectations }: Rewritten): object => ({
    tests: [{ id: 't.py::test_a', stripped: 't.py::test_a', row: 0, sites: {} }],
    expectations,
  });

  const FORMS: { form: string; inside: string; right: string; wrong: string; level: string }[] = [
    {
      form: 'assert f(1) == "a value"',
      inside: '__assay__(0, (f(1)))',
      right: '[0,"value",["a value"]]',
      wrong: '[0,"value",["another"]]',
      level: 'strong',
    },
    {
      form: 'assert "long enough" in f(1), "told"',
      inside: '__assay__(0, (f(1)))',
      right: '[0,"value",["is long enough"]]',
      wrong: '[0,"value",["short"]]',
      level: 'contain',
    },
    {
      form: 'assert not f(1)',
      inside: '__assay__(0, (not not (f(1))))',
      right: '[0,"value",[false]]',
      wrong: '[0,"value",[true]]',
      level: 'weak',
    },
    {
      form: 'pytest.raises(Bad, f, 1)',
      inside: '__assay__.raises(0, (f), (1))',
      right: '[0,"raised",[["x",["lib.Bad","builtins.Exception"],""]]]',
      wrong: '[0,"not-raised",[]]',
      level: 'weak',
    },
    {
      form: 'assert f(1) == pytest.approx(123.25)',
      inside: '__assay__(0, (f(1)))',
      right: '[0,"value",[["f","0x1.ed00000000001p+6"]]]',
      wrong: '[0,"value",[["i","7b"]]]',
      level: 'strong',
    },
    {
      form: 'assert f("seen") == "seen"',
      inside: '__assay__(0, (f("seen")))',
      right: '[0,"value",["seen"]]',
      wrong: '[0,"value",[["o",["lib.AlwaysEqual"]]]]',
      level: 'echo',
    },
  ];
  for (const { form, inside, right, wrong, level } of FORMS) {
    test(form, async () => {
      const stripped = await strip(`def test_a():\n    ${form}\n`);
      assert.equal(stripped.files[0]?.text, `${HEAD}def test_a():\n    ${inside}\n`);
      const plan = planOf(stripped);
      for (const [line, outcome] of [
        [right, /^true$/],
        [wrong, /^(?:false|undecidable)$/],
      ] as const) {
        const { tests, problems } = await ask<Evaluation>({ mode: 'evaluate', plan }, [
          line.replace('[', '["t.py::test_a",'),
        ]);
        assert.deepEqual(problems, []);
        assert.match(tests['t.py::test_a']?.sites['0']?.outcome ?? '', outcome);
      }
      const sources = [{ path: 'lib.py', text: 'x = "so long enough"\n' }];
      const { sites } = await ask<Guesses>({ mode: 'battery', plan, files: stripped.files, sources });
      assert.equal(sites['0']?.level, level, JSON.stringify(sites));
    });
  }

  test('battery: literals of another test count as shown where they are said to be', async () => {
    const ids = ['t.py::test_a', 't.py::test_b'];
    const body = 'def test_a():\n    assert f(1) == "a value"\n\ndef test_b():\n    assert f("a value") == 1\n';
    const { files, expectations } = await strip(body, ids);
    const plan = { tests: ids.map((id) => ({ id, stripped: id, row: 0, sites: {} })), expectations };
    const sources = [{ path: 'lib.py', text: 'x = "another text"\n' }];
    const guess = (alsoShown: string[]): Promise<Guesses> => ask({ mode: 'battery', plan, files, sources, alsoShown });
    assert.equal((await guess([])).sites['0']?.level, 'strong');
    assert.equal((await guess(['t.py::test_b'])).sites['0']?.level, 'echo');
  });

  test('lines that no honest run writes make the run unclean', async () => {
    const plan = planOf(await strip('def test_a():\n    assert f(1) == [1, 2]\n'));
    const right = '["t.py::test_a",0,"value",[["l",[["i","1"],["i","2"]]]]]';
    const HOSTILE = {
      'a site that is not known': '["t.py::test_a",7,"value",[true]]',
      'a test that is not known': '["t.py::test_b",0,"value",[true]]',
      'no JSON': '["t.py::test_a",0,"value",[',
      'no list': '{"t.py::test_a": 0}',
      'a kind that is none': '["t.py::test_a",0,"value",[["__reduce__", "os.system"]]]',
      'an attribute': '["t.py::test_a",0,"value",[["items", []]]]',
      'a number without its tag': '["t.py::test_a",0,"value",[1e999]]',
      'a long number': `["t.py::test_a",0,"value",[["i",${'9'.repeat(50_000)}]]]`,
      nested: `["t.py::test_a",0,"value",[${'["l",['.repeat(50_000)}${']]'.repeat(50_000)}]]`,
      'a part of a date that is none': '["t.py::test_a",0,"value",[["da",[2020,"1",1]]]]',
    };
    assert.deepEqual((await ask<Evaluation>({ mode: 'evaluate', plan }, [right])).problems, []);
    const { problems } = await ask<Evaluation>({ mode: 'evaluate', plan }, [right, ...Object.values(HOSTILE)]);
    assert.equal(problems.length, Object.keys(HOSTILE).length, problems.join('\n'));
  });

  test('one wrong observation among right ones fails the site, and a comparison that takes long does', async () => {
    const plan = planOf(await strip('import re\ndef test_a():\n    assert re.match("(a+)+$", f(1))\n'));
    const lines = [`${'a'.repeat(40)}`, `${'a'.repeat(40)}!`].map((text) => `["t.py::test_a",0,"value",["${text}"]]`);
    const { tests } = await ask<Evaluation>({ mode: 'evaluate', plan }, lines);
    assert.deepEqual(tests['t.py::test_a']?.sites, {
      0: { count: 2, outcome: 'false', detail: 'the comparison takes too long' },
    });
  });

  test('a control ends every test in a failure by the same means, on the same lines', async () => {
    const text = `${HEAD}def test_a():\n    with f():\n        return 3\n\ndef test_b():\n    assert f(1) == 2\n\nclass T(unittest.TestCase):\n    def test_c(self):\n        self.assertEqual(f(1), 2)\n`;
    const ids = ['t.py::test_a', 't.py::test_b', 't.py::T::test_c'];
    const { files, failing } = await ask<ControlTests>({ mode: 'control', files: [{ path: 't.py', text }], ids });
    assert.deepEqual(failing, ids);
    assert.equal(
      files[0]?.text,
      text
        .replace('return 3\n', 'assert False\n    assert False')
        .replace('== 2\n', '== 2; assert False\n')
        .replace('f(1), 2)', 'f(1), 2); self.assertEqual(0, 1)'),
    );
  });

  test('a file that cannot be parsed, a test that is not in its file, a test that T0 has', async () => {
    const files = [
      { path: 'bad.py', text: 'def test_a(:\n' },
      { path: 't.py', text: `${HEAD}def test_a():\n    assert f(1) == 2\n` },
    ];
    const ids = ['bad.py::test_a', 't.py::test_a', 't.py::test_made_elsewhere'];
    const before = [{ path: 't.py', text: 'def test_a():\n    assert f(1)  ==  2  # so\n' }];
    const answer = await ask<Rewritten>({
      mode: 'rewrite',
      runner: 'pytest',
      files,
      before,
      ids,
      wanted: ids,
      native: {},
    });
    assert.deepEqual(
      answer.problems.map(({ file }) => file),
      ['bad.py'],
    );
    assert.deepEqual(
      answer.functions.map(({ base, blocked, visible }) => [base, blocked !== undefined, visible]),
      [
        ['bad.py::test_a', true, false],
        ['t.py::test_a', false, true],
        ['t.py::test_made_elsewhere', true, false],
      ],
    );
  });
});
