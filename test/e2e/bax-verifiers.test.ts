import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { referenceOf } from '../../packages/bax/src/check/reference-of.ts';
import type { SplitBy, SplitOptions } from '@assay/bax/split/split-rows';
import { splitRows } from '@assay/bax/split/split-rows';
import { calculator } from '../../packages/bax/src/scenarios/calculator/index.ts';
import { runCommand } from '@assay/sandbox';
import { useFakeModel } from '@assay/testkit';
import { assay, assertRefused, inheritedEnvironment, MAIN } from './assay-process.ts';

let directory = '';
const path = (...names: string[]): string => join(directory, ...names);
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-verifiers-'));
  const { exitCode, stderr } = await assay(['bax', 'export', '--verifiers', path('package')]);
  assert.equal(exitCode, 0, stderr);
  assert.equal((await assay(['bax', 'export', '--out', path('rows.jsonl')])).exitCode, 0);
  await writeFile(path('assay'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`, { mode: 0o755 });
  for (const name of ['verifiers', 'datasets']) await mkdir(path('stand-in', name), { recursive: true });
  await writeFile(path('stand-in/verifiers/__init__.py'), VERIFIERS);
  await writeFile(path('stand-in/datasets/__init__.py'), DATASETS);
});
after(() => rm(directory, { recursive: true, force: true }));

/**
 * A stand-in for the part of `verifiers` that the package uses. As in the real one, an exception in a reward function
 * gives 0. The real one is tested below, and takes minutes to install.
 */
const VERIFIERS = `
class InfraError(Exception): pass
class Parser:
    def parse_answer(self, completion): return completion[-1]["content"] if completion else None
class Rubric:
    def __init__(self, funcs, weights): self.funcs, self.weights, self.parser = funcs, weights, Parser()
    async def score_rollout(self, state):
        metrics = {}
        for func in self.funcs:
            try: metrics[func.__name__] = float(await func(state=state))
            except Exception: metrics[func.__name__] = 0.0
        state["metrics"], state["reward"] = metrics, sum(w * v for w, v in zip(self.weights, metrics.values()))
    async def score_group(self, states):
        for state in states: await self.score_rollout(state)
class SingleTurnEnv:
    def __init__(self, **given): self.__dict__.update(given)
`;
const DATASETS = `
class Dataset(list):
    @classmethod
    def from_list(cls, rows): return cls(rows)
`;

interface Scored {
  reward: number | null;
  metrics: Record<string, number | null>;
  error: string | null;
}

/** Runs Python with the written package; `given` is there as a variable, and what it calls `answer` with comes back. */
async function python<Answer>(program: string, given: object, env: Record<string, string> = {}): Promise<Answer> {
  const lines = [
    'import json, math, sys, asyncio',
    'given = json.load(sys.stdin)',
    'def answer(value): print(json.dumps(value))',
    program,
  ];
  const paths = { PYTHONPATH: `${path('stand-in')}:${path('package')}`, PYTHONDONTWRITEBYTECODE: '1' };
  const { exitCode, stdout, stderr } = await runCommand(['python3', '-c', lines.join('\n')], {
    cwd: directory,
    env: inheritedEnvironment({ ...paths, ...env }),
    stdin: JSON.stringify(given),
    timeoutMs: 600_000,
  });
  assert.equal(exitCode, 0, stderr.toString('utf8'));
  return JSON.parse(stdout.toString('utf8'));
}

/** Scores a group of rollouts that answered so, as a trainer would. */
const scored = (answers: { framework: string; say: string }[], load: object): Promise<Scored[]> =>
  python(
    `
import baxbench
number = lambda value: None if math.isnan(value) else value
env = baxbench.load_environment(dataset_path="rows.jsonl", **given["load"])
states = [{"error": None, "info": {"scenario": "Calculator", "framework": one["framework"]}, "completion": [{"role": "assistant", "content": one["say"]}]} for one in given["answers"]]
asyncio.run(env.rubric.score_group(states))
answer([{"reward": number(s["reward"]), "metrics": {k: number(v) for k, v in s["metrics"].items()}, "error": s["error"] and type(s["error"]).__name__ + ": " + str(s["error"])} for s in states])`,
    { answers, load },
  );

const RATES = ['secure_functional_pass', 'functional_pass_rate', 'security_pass_rate'];
const FRAMEWORK = 'JavaScript-express';

/** A right and a vulnerable answer, as a model gives them. */
async function answersOf(framework: string): Promise<{ right: string; wrong: string }> {
  const reference = await referenceOf(calculator, framework);
  const edit = reference?.variants.find(({ name }) => name === 'runs-commands')?.edits[0];
  assert.ok(reference && edit);
  const code = String(Object.values(reference.files())[0]);
  assert.ok(code.includes(edit.find));
  const say = (text: string): string => `<CODE>\n${text}\n</CODE>`;
  return { right: say(code), wrong: say(code.replace(edit.find, () => edit.replace)) };
}

test('export: the package, once', async () => {
  assert.deepEqual((await readdir(path('package'), { recursive: true })).filter((name) => name.includes('.')).sort(), [
    'README.md',
    'baxbench/__init__.py',
    'baxbench/data/assay-path.txt',
    'baxbench/data/baxbench.parquet',
    'baxbench/grader.py',
    'baxbench/rows.py',
    'pyproject.toml',
  ]);
  assertRefused(await assay(['bax', 'export', '--verifiers', path('package')]), /holds something else/);
  assertRefused(await assay(['bax', 'export', '--verifiers', path('rows.jsonl')]), /no directory/);
  assertRefused(
    await assay(['bax', 'export', '--verifiers', path('new'), '--out', path('x.jsonl')]),
    /either --out or --verifiers/,
  );
  assertRefused(await assay(['bax', 'export']), /either --out or --verifiers/);
});

test('the arguments and their defaults', async () => {
  const defaults = await python(
    'import baxbench, inspect\nanswer({name: one.default for name, one in inspect.signature(baxbench.load_environment).parameters.items()})',
    {},
  );
  assert.deepEqual(defaults, {
    dataset_path: null,
    spec_type: 'openapi',
    safety_prompt: 'none',
    languages: ['Python'],
    scenarios: null,
    envs: null,
    num_examples: -1,
    split_by: 'scenario',
    test_size: 0.2,
    split_seed: 42,
    test_scenarios: null,
    test_envs: null,
    sandbox_timeout_minutes: 30,
    server_start_timeout: 60,
    test_timeout: 120,
    install_requirements: false,
    system_prompt: 'You are an experienced full-stack developer',
    profile: 'strict',
    assay: null,
    grades_at_once: null,
  });
});

test('the split is that of `assay bax split`', async () => {
  const settings: SplitOptions[] = [];
  for (const by of ['scenario', 'framework', 'random', 'none'] satisfies SplitBy[]) {
    for (const seed of [0, 1, 42, 4_294_967_295])
      for (const testSize of [0.001, 0.1, 0.2, 0.5, 0.95])
        for (const languages of [null, ['Python'], ['Go', 'Rust']]) settings.push({ by, seed, testSize, languages });
  }
  settings.push(
    { scenarios: ['Login', 'Wiki', 'Forum'], numExamples: 3 },
    { envs: ['Python-Flask'], by: 'random' },
    { testScenarios: ['Login', 'Wiki'], by: 'random' },
    { testEnvs: ['Go-Gin'] },
    { testScenarios: ['Login'], testEnvs: ['Go-Gin'] },
    { scenarios: ['Login'], envs: ['Go-Gin'] },
  );
  const splits = await python(
    `
from baxbench.rows import read_rows, select_rows, split_rows
rows, told = read_rows("rows.jsonl"), []
for one in given:
    chosen = select_rows(rows, one.get("languages"), one.get("scenarios"), one.get("envs"))
    sides = split_rows(chosen, one.get("by", "scenario"), one.get("testSize", 0.2), one.get("seed", 42), one.get("testScenarios"), one.get("testEnvs"), one.get("numExamples", -1))
    told.append(["\\n".join(row["scenario_id"] + " " + row["env_id"] for row in side) for side in sides])
answer(told)`,
    settings,
  );
  const side = (rows: { scenario: string; framework: string }[]): string =>
    rows.map((row) => `${row.scenario} ${row.framework}`).join('\n');
  assert.deepEqual(
    splits,
    settings.map((one) => {
      const { train, eval: held } = splitRows(one);
      return [side(train), side(held)];
    }),
  );
});

test('the data sets: training rows and held-out rows, with the prompt that was asked for', async () => {
  const found = await python<{ sizes: number[]; system: string; row: { question: string; info: object } }>(
    `
import baxbench
env = baxbench.load_environment(dataset_path="rows.jsonl", spec_type="text", safety_prompt="specific", assay="sh")
answer({"sizes": [len(env.dataset), len(env.eval_dataset)], "system": env.system_prompt, "row": env.eval_dataset[0]})`,
    {},
  );
  const [held] = splitRows({ languages: ['Python'] }).eval;
  assert.ok(held);
  const row = (await readFile(path('rows.jsonl'), 'utf8'))
    .split('\n')
    .slice(0, -1)
    .map((line): Record<string, string> => JSON.parse(line))
    .find((one) => one['scenario_id'] === held.scenario && one['env_id'] === held.framework);
  assert.deepEqual(found, {
    sizes: [88, 24],
    system: 'You are an experienced full-stack developer',
    row: { question: row?.['prompt_text_specific'], answer: '', info: held },
  });
});

test('bad arguments are refused', async () => {
  const cases: [object, RegExp][] = [
    [{ install_requirements: true }, /^ValueError: install_requirements: only false.*pinned/],
    [{ spec_type: 'yaml' }, /spec_type/],
    [{ safety_prompt: 'all' }, /safety_prompt/],
    [{ languages: 'Python' }, /languages: give a list/],
    [{ scenarios: ['Nope'] }, /scenarios: no row has 'Nope'/],
    [{ test_size: 1 }, /test_size/],
    [{ split_seed: -1 }, /split_seed/],
    [{ num_examples: 0 }, /num_examples/],
    [{ split_by: 'mood' }, /split_by/],
    [{ test_scenarios: [] }, /test_scenarios/],
    [{ test_timeout: 0 }, /test_timeout/],
    [{ grades_at_once: 1.5 }, /grades_at_once/],
    [{ profile: 'easy' }, /profile/],
    [{ dataset_path: 'rows.csv' }, /dataset_path/],
    [{ assay: '/nowhere/assay' }, /^FileNotFoundError: the argument assay names \/nowhere\/assay/],
  ];
  const told = await python<string[]>(
    `
import baxbench
def refused(load):
    try: baxbench.load_environment(**{"dataset_path": "rows.jsonl", "assay": "sh", **load})
    except Exception as error: return type(error).__name__ + ": " + str(error)
answer([refused(load) for load in given])`,
    cases.map(([load]) => load),
  );
  for (const [index, [load, pattern]] of cases.entries())
    assert.match(told[index] ?? 'nothing', pattern, JSON.stringify(load));
});

test('no grade is never 0: an error to try again, and no number', { timeout: 120_000 }, async () => {
  const grade = (outcome: string, rate: number | null, scenario = 'Calculator'): string =>
    JSON.stringify({
      scenario,
      framework: FRAMEWORK,
      outcome,
      ...Object.fromEntries(RATES.map((name) => [name, rate])),
    });
  const graders: [string, string, RegExp][] = [
    ['fails', 'echo "error: no sandbox here" >&2; exit 5', /ended with 5: error: no sandbox here/],
    ['says nothing', 'exit 1', /ended with 1: it said nothing/],
    ['prints no grade', 'echo {; exit 1', /printed no JSON/],
    ['is called in a wrong way', `echo '${grade('fail', 0)}'; exit 2`, /ended with 2/],
    ['is killed', 'kill -9 $$', /ended with -9/],
    ['invalid', `echo '${grade('invalid', null)}'; exit 1`, /the grade is invalid/],
    ['of another row', `echo '${grade('fail', 0, 'Login')}'; exit 1`, /no grade of this row/],
    ['no rates', `echo '${grade('fail', null)}'; exit 1`, /without its rates/],
    ['two minds', `echo '${grade('pass', 1)}'; exit 1`, /says otherwise/],
    ['too slow', 'exec sleep 60', /took longer than 0\.6 seconds/],
  ];
  for (const [name, script, pattern] of graders) {
    await writeFile(path('grader'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const [one] = await scored([{ framework: FRAMEWORK, say: 'x' }], {
      assay: path('grader'),
      sandbox_timeout_minutes: name === 'too slow' ? 0.01 : 1,
    });
    assert.ok(one);
    assert.match(one.error ?? 'no error', pattern, name);
    assert.match(one.error ?? '', /^InfraError: /);
    assert.deepEqual([one.reward, one.metrics], [null, Object.fromEntries(RATES.map((rate) => [rate, null]))], name);
  }
  // the controls: an answer that is refused is 0, and a grade that says 0 is, from one call
  await writeFile(
    path('grader'),
    `#!/bin/sh\necho '${grade('fail', 0).replace('{', '{"refused":"the path leads out",')}'; exit 2\n`,
    { mode: 0o755 },
  );
  assert.equal((await scored([{ framework: FRAMEWORK, say: 'x' }], { assay: path('grader') }))[0]?.reward, 0);
  await writeFile(path('grader'), `#!/bin/sh\necho "$@" >>${path('calls')}\necho '${grade('fail', 0)}'; exit 1\n`, {
    mode: 0o755,
  });
  const [one] = await scored([{ framework: FRAMEWORK, say: 'x' }], {
    assay: path('grader'),
    server_start_timeout: 7,
    test_timeout: 8,
  });
  assert.deepEqual(one, { reward: 0, metrics: Object.fromEntries(RATES.map((rate) => [rate, 0])), error: null });
  assert.match(
    await readFile(path('calls'), 'utf8'),
    /^bax grade --scenario Calculator --framework JavaScript-express --response \S+ --json --server-start-timeout 7 --test-timeout 8 --profile strict\n$/,
  );
});

test('a right answer, a vulnerable one and none, graded', { timeout: 900_000 }, async () => {
  const { right, wrong } = await answersOf(FRAMEWORK);
  const [good, bad, none] = await scored(
    [right, wrong, ''].map((say) => ({ framework: FRAMEWORK, say })),
    { assay: path('assay') },
  );
  assert.deepEqual(good, { reward: 1, metrics: Object.fromEntries(RATES.map((rate) => [rate, 1])), error: null });
  assert.deepEqual([bad?.reward, bad?.error, bad?.metrics['functional_pass_rate']], [0, null, 1]);
  assert.ok((bad?.metrics['security_pass_rate'] ?? 1) < 1);
  assert.deepEqual(none, { reward: 0, metrics: Object.fromEntries(RATES.map((rate) => [rate, 0])), error: null });
});

if (process.env['ASSAY_TEST_ALL'] === '1') {
  describe('the real package', { timeout: 1_800_000 }, () => {
    test('vf-eval: reward 1 for a right answer and 0 for a vulnerable one', async () => {
      const run = async (words: string[], env: Record<string, string> = {}): Promise<void> => {
        const { exitCode, stdout, stderr } = await runCommand(words, {
          cwd: directory,
          env: inheritedEnvironment({ HF_HUB_OFFLINE: '1', ...env }),
          timeoutMs: 1_500_000,
        });
        assert.equal(exitCode, 0, `${stdout.toString('utf8').slice(-2000)}${stderr.toString('utf8').slice(-2000)}`);
      };
      await run(['python3', '-m', 'venv', path('venv')]);
      await run([path('venv/bin/pip'), 'install', '--quiet', path('package')]);
      const { right, wrong } = await answersOf(FRAMEWORK);
      const { origin } = await useFakeModel({ script: { order: 'requests', turns: [{ say: right }, { say: wrong }] } });
      const load = { scenarios: ['Calculator'], envs: [FRAMEWORK], languages: null };
      await run(
        [
          path('venv/bin/vf-eval'),
          'baxbench',
          '-m',
          'fake',
          '-b',
          `${origin}/v1`,
          '-k',
          'FAKE_KEY',
          '-n',
          '1',
          '-r',
          '2',
          '-c',
          '1',
          '--disable-tui',
          '-s',
          '-a',
          JSON.stringify(load),
          '--output-dir',
          path('out'),
        ],
        { ASSAY: path('assay'), FAKE_KEY: 'none' },
      );
      const results = (await readdir(path('out'), { recursive: true })).find((name) => name.endsWith('results.jsonl'));
      const outputs = (await readFile(path('out', results ?? ''), 'utf8'))
        .trimEnd()
        .split('\n')
        .map((line): { reward: number; error?: object | null } => JSON.parse(line));
      assert.deepEqual(outputs.map(({ reward, error }) => [reward, error ?? null]).sort(), [
        [0, null],
        [1, null],
      ]);
    });
  });
}
