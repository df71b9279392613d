import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@assay/sandbox';
import type { Evaluation, Guesses, Rewritten } from '../../split-facet.ts';

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
});
