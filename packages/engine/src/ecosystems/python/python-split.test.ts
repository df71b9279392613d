import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SplitPlan, TestCommand, type TestStatus } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { readChannel } from '../../verify/read-channel.ts';
import type { Evaluation, Guesses, Rewritten } from '../split-facet.ts';
import { pythonSplit } from './python-split.ts';
import { FORGERS, REFERENCE, STRONG, TESTS, WRONG } from './split-scenarios.ts';
import { launchPytest } from './runner/launch-pytest.ts';

const TOOL = fileURLToPath(new URL('split/tool.py', import.meta.url));
const NONCE = 'f00dfeedf00dfeedf00dfeedf00dfeed';
const FILE = 'tests/test_lib.py';

describe('split tests of pytest', () => {
  let place: string;
  let root: string;
  let rewritten: Rewritten;
  let plan: SplitPlan;
  const python = (): string => join(place, 'env', 'bin', 'python');

  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'assay-split-'));
    root = join(place, 'repository');
    await mkdir(join(root, 'tests'), { recursive: true });
    await succeed(['python3', '-m', 'venv', join(place, 'env')]);
    await succeed([python(), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'pytest==8.3.5']);
    await bake();
  });
  after(() => rm(place, { recursive: true, force: true }));

  async function bake(): Promise<void> {
    const ids = [...(await run(REFERENCE, TESTS)).keys()];
    const files = [{ path: FILE, text: TESTS }];
    rewritten = await tool({ mode: 'rewrite', runner: 'pytest', files, before: [], ids, wanted: ids, native: {} });
    const observed = [...(await run(REFERENCE, stripped())).keys()];
    plan = SplitPlan.parse({
      version: 1,
      runner: 'pytest',
      hidden: '0'.repeat(64),
      stripped: '0'.repeat(64),
      files: [FILE],
      sites: [],
      tests: rewritten.functions.flatMap(({ ids: rows, base }) => {
        const own = observed.filter((id) => pythonSplit.baseOf(id) === base);
        return rows.map((id, row) => ({ id, class: 'split', stripped: own[row], row }));
      }),
      expectations: rewritten.expectations,
    });
    const { tests } = await evaluate();
    for (const each of plan.tests)
      each.sites = Object.fromEntries(
        Object.entries(tests[each.id]?.sites ?? {}).map(([site, { count }]) => [site, count === 1 ? 'once' : 'some']),
      );
  }

  const stripped = (): string => rewritten.files[0]?.text ?? '';
  const evaluate = (): Promise<Evaluation> =>
    tool({ mode: 'evaluate', plan, observations: join(place, 'observations.jsonl') });

  async function tool<T>(request: object): Promise<T> {
    await writeFile(join(place, 'request.json'), JSON.stringify(request));
    return JSON.parse(await succeed([python(), '-I', '-S', TOOL, join(place, 'request.json')])) as T;
  }

  /** Runs tests over the library, and returns what the channel says. */
  async function run(library: string, tests: string): Promise<Map<string, TestStatus>> {
    await writeFile(join(root, 'lib.py'), library);
    await writeFile(join(root, FILE), tests);
    await writeFile(join(place, 'observations.jsonl'), '');
    const environment = { spec: { interpreter: '3' }, env: { ASSAY_PYTHON: python() } };
    const launch = launchPytest(
      {
        command: TestCommand.parse({ ecosystem: 'python', runner: 'pytest', files: [FILE], args: [] }),
        environment: environment as never,
        nonce: NONCE,
        observations: join(place, 'observations.jsonl'),
      },
      { root, runner: null },
    );
    const env = { PATH: '/usr/bin:/bin', HOME: place, LANG: 'C.UTF-8', ...launch.env };
    const { stdout } = await runCommand(launch.argv, { cwd: root, env, stdin: launch.stdin, timeoutMs: 120_000 });
    return new Map([...readChannel(stdout.toString(), NONCE).results].map(([id, { status }]) => [id, status]));
  }

  /** Ids that pass natively, and those that pass when they are compared outside. */
  async function grade(library: string): Promise<{ native: string[]; split: string[]; problems: string[] }> {
    const native = await run(library, TESTS);
    const recorded = await run(library, stripped());
    const { tests, problems } = await evaluate();
    return {
      native: plan.tests.flatMap(({ id }) => (native.get(id) === 'passed' ? [id] : [])),
      split: plan.tests.flatMap(({ id, stripped: own = '' }) =>
        problems.length === 0 && recorded.get(own) === 'passed' && tests[id] && tests[id].why === undefined ? [id] : [],
      ),
      problems,
    };
  }

  test('the reference passes, a wrong library fails the same tests as natively', async () => {
    const every = plan.tests.map(({ id }) => id);
    assert.deepEqual(await grade(REFERENCE), { native: every, split: every, problems: [] });
    for (const library of WRONG) {
      const { native, split } = await grade(library);
      assert.deepEqual(split, native);
      assert.ok(native.length < every.length);
    }
  });

  test('stripped tests keep their lines, and say nothing of what they expect', () => {
    assert.equal(stripped().split('\n').length, TESTS.split('\n').length);
    assert.match(TESTS, /hidden/i);
    assert.doesNotMatch(stripped(), /hidden|4242|#/i);
  });

  test('what can be guessed is no strong test', async () => {
    const { sites } = await tool<Guesses>({
      mode: 'battery',
      plan,
      files: rewritten.files,
      sources: [{ path: 'lib.py', text: REFERENCE }],
    });
    const strong = rewritten.functions.filter(({ sites: own }) => own.some((site) => sites[site]?.level === 'strong'));
    assert.deepEqual(strong.flatMap(({ base }) => base.split('::').at(-1) ?? []).sort(), STRONG);
  });

  for (const [name, { library, foolsNative }] of Object.entries(FORGERS)) {
    test(`forger: ${name}`, async () => {
      const { native, split } = await grade(library);
      const isStrong = (id: string): boolean => STRONG.includes(pythonSplit.baseOf(id).split('::').at(-1) ?? '');
      assert.deepEqual(split.filter(isStrong), []);
      assert.equal(native.some(isStrong), foolsNative, 'the positive control');
    });
  }

  test('observations of a gigabyte are read up to the cap', async () => {
    const path = join(place, 'observations.jsonl');
    await succeed(['truncate', '--size=1G', path]);
    assert.match((await evaluate()).problems.join(), /a line of more than/);
  });
});

async function succeed(argv: string[]): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value && /^(PATH|HOME|LANG|PIP_.*|PYENV_.*|.*_PROXY|.*_proxy|SSL_.*)$/.test(name) ? [[name, value]] : [],
    ),
  );
  const { exitCode, stdout, stderr } = await runCommand(argv, { env });
  assert.equal(exitCode, 0, `${argv.join(' ')}\n${stderr.toString()}`);
  return stdout.toString();
}
