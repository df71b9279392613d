import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Verdict } from '@assay/protocol';
import { bubblewrapProvider, type SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import { withDigest, bundleDigest } from '../bundle/bundle-digest.ts';
import { openRepositoryTask, type OpenRepositoryTask } from '../verify/open-repository-task.ts';
import { verifySubmission } from '../verify/verify-submission.ts';
import { cacheDirectory } from '@assay/files/store/paths';
import { showTask } from './show-task.ts';
import { splitTasks } from './split-task.ts';
import { makeSplitTasks, type SplitFixture } from './split-tasks.fixture.ts';

const MODULE = 'money/__init__.py';
const provider = bubblewrapProvider();

describe('split tasks', () => {
  let directory: string;
  let fixture: SplitFixture;
  let split: OpenRepositoryTask;
  let inside: OpenRepositoryTask;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-split-'));
    fixture = await makeSplitTasks(directory);
    split = await open(fixture.split);
    inside = await open(fixture.inside);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const open = (path: string): Promise<OpenRepositoryTask> =>
    openRepositoryTask(path, { provider, cacheDirectory: cacheDirectory() });
  const grade = (task: OpenRepositoryTask, submission: ChangeSet, unsealed: 'split-oracle'[] = []): Promise<Verdict> =>
    verifySubmission({ ...task, submission, provider, unsealed: new Set(unsealed) });
  /** T0 with code at the end of its module. */
  const withCode = async (task: OpenRepositoryTask, code: string): Promise<ChangeSet> => {
    const text = await readFile(join(task.t0Directory, MODULE), 'utf8');
    return { files: [{ path: MODULE, content: Buffer.from(`${text}\n${code}\n`), executable: false }], deleted: [] };
  };

  test('mine takes hidden tests apart, and tells of each what it is', async () => {
    const shown = await showTask(fixture.split);
    assert.equal(shown.trust.level, 'split');
    assert.deepEqual(shown.statement[0]?.source, 'message');
    assert.deepEqual(
      shown.tests.map(({ id, role, class: kind }) => [id.split('::')[1], role, kind]),
      [
        ['test_no_amount', 'f2p', 'split'],
        ['test_one_digit[0.7-70]', 'f2p', 'split'],
        ['test_one_digit[1.1-110]', 'f2p', 'split'],
        ['test_one_digit[2.3-230]', 'f2p', 'split'],
        ['test_is_a_value_error', 'p2p', 'in-process'],
        ['test_same_again', 'p2p', 'in-process'],
        ['test_two_digits', 'p2p', 'split'],
      ],
    );
    const other = await showTask(fixture.inside);
    assert.equal(other.trust.level, 'in-process');
    assert.deepEqual(
      other.tests.filter(({ role }) => role === 'f2p').map(({ id, class: kind }) => [id.split('::')[1], kind]),
      [['test_odd_cents', 'in-process']],
    );
  });

  test('stripped tests hold nothing of what they expect, and as many lines', async () => {
    const stripped = split.split?.stripped.files.find(({ path }) => path.endsWith('test_parse.py'));
    const text = stripped?.content.toString() ?? '';
    for (const secret of ['325', '110', '230', '70', 'not an amount', 'match'])
      assert.ok(!text.includes(secret), `${secret} in\n${text}`);
    const hidden = split.hidden.files.find(({ path }) => path.endsWith('test_parse.py'))?.content.toString() ?? '';
    assert.equal(text.split('\n').length, hidden.split('\n').length);
  });

  test('the reference passes and says split; the empty submission and half of it fail', async () => {
    const passed = await grade(split, split.reference);
    assert.deepEqual([passed.outcome, passed.trust.level], ['pass', 'split'], passed.note);
    assert.deepEqual(passed.trust.split?.f2p, { strong: 4, outside: 4, total: 4 });
    assert.equal((await grade(split, { files: [], deleted: [] })).outcome, 'fail');
    const one = await grade(split, await withCode(split, 'parse = lambda text: 110'));
    assert.deepEqual(
      one.tests.filter(({ status }) => status === 'passed').map(({ id }) => id.split('::')[1]),
      ['test_one_digit[1.1-110]', 'test_is_a_value_error', 'test_same_again'],
    );
  });

  test('what stays inside runs beside the stripped tests where T0 shows it, and no other box is made for it', async () => {
    let boxes = 0;
    const counting: SandboxProvider = {
      ...provider,
      interactive: true,
      create: (options) => {
        boxes += 1;
        return provider.create(options);
      },
      destroy: (id) => provider.destroy(id),
    };
    const passed = await verifySubmission({
      ...split,
      submission: split.reference,
      provider: counting,
      unsealed: new Set(),
    });
    assert.deepEqual([passed.outcome, boxes], ['pass', 2]);
    const wrong = {
      test_same_again: 'good = parse\nparse = lambda text: 0 if text[0] == "0" and text[1] != "." else good(text)',
      test_is_a_value_error: 'class MoneyError(Exception): pass',
    };
    for (const [name, code] of Object.entries(wrong)) {
      const fixed = split.reference.files.find(({ path }) => path === MODULE)?.content.toString() ?? '';
      const content = Buffer.from(`${fixed}\n${code}\n`);
      const verdict = await grade(split, { files: [{ path: MODULE, content, executable: false }], deleted: [] });
      const failed = verdict.tests.filter(({ status }) => status !== 'passed').map(({ id }) => id.split('::')[1]);
      assert.deepEqual([verdict.outcome, failed], ['fail', [name]]);
    }
  });

  const forgeries: Record<string, string> = {
    'makes the runner skip every body': 'import _pytest.python\n_pytest.python.Function.runtest = lambda self: None',
    'returns what equals everything': `class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 1
parse = share = lambda *args: Equal()`,
    'is a number that lies about its equality': `class Number(int):
    def __eq__(self, other): return True
    def __hash__(self): return 1
parse = share = lambda *args: Number(0)`,
    'reads the expectation in the test that calls': `import re, sys
def parse(text):
    code = sys._getframe(1).f_code
    with open(code.co_filename) as file: lines = file.read().split('\\n')
    raise_for = code.co_name == 'test_no_amount'
    if raise_for: raise MoneyError('not an amount: ' + text)
    found = re.search(r'== (-?[0-9]+)|"%s", (-?[0-9]+)' % text, '\\n'.join(lines))
    return int(found.group(1) or found.group(2)) if found else sys._getframe(1).f_locals.get('cents')`,
    'patches what assertions call': `import _pytest.assertion.rewrite, builtins
for name in ('AssertionError',): setattr(builtins, name, type(name, (BaseException,), {'__init__': lambda self, *a: None}))
_pytest.python_api = None`,
  };
  for (const [name, code] of Object.entries(forgeries))
    test(`a submission that ${name} fails`, async () => {
      const verdict = await grade(split, await withCode(split, code));
      assert.equal(verdict.outcome, 'fail');
    });

  test('control: in one process with the tests, what patches the runner or equals everything passes', async () => {
    const name = 'makes the runner skip every body';
    const verdict = await grade(split, await withCode(split, forgeries[name] ?? ''), ['split-oracle']);
    assert.equal(verdict.outcome, 'pass', verdict.note);
    assert.equal(verdict.trust.level, 'unsealed');
  });

  test('a test that stays inside has a control, which names the forger and nobody honest', async () => {
    assert.deepEqual(
      inside.split?.plan.control.map((id) => id.split('::')[1]),
      ['test_odd_cents'],
    );
    const patched = await withCode(inside, forgeries['makes the runner skip every body'] ?? '');
    const forged = await grade(inside, patched);
    assert.deepEqual([forged.outcome, forged.reward, forged.trust.level], ['fail', 0, 'forged']);
    assert.match(forged.trust.reasons.join('\n'), /seen in this run alone: .*runtest/);
    assert.equal((await grade(inside, patched, ['split-oracle'])).outcome, 'pass');
    const honest = await grade(inside, inside.reference);
    assert.deepEqual([honest.outcome, honest.trust.level], ['pass', 'in-process']);
    assert.doesNotMatch(honest.trust.reasons.join('\n'), /seen in this run/);
  });

  test('task split takes apart what exists, proves it again, and leaves it alone when it cannot', async () => {
    const copy = join(directory, 'again', 'task');
    await cp(fixture.split, copy, { recursive: true });
    await rm(join(copy, 'tests/split'), { recursive: true });
    await sign(copy);
    assert.equal((await showTask(copy)).trust.level, 'in-process');
    await cp(join(fixture.split, 'tests/split'), join(copy, 'tests/split'), { recursive: true });
    const plan = join(copy, 'tests/split/plan.json');
    await writeFile(plan, (await readFile(plan, 'utf8')).replace(/"evaluator":\d+/, '"evaluator":1'));
    await sign(copy);
    await assert.rejects(open(copy), { code: 'SPLIT_OUTDATED', message: /assay task split/ });
    const { tasks } = await splitTasks({ path: copy, runs: 1, provider: 'bubblewrap' });
    assert.deepEqual(
      tasks.map((task) => [task.split, task.trust.level]),
      [[true, 'split']],
    );
    const again = await showTask(copy);
    assert.deepEqual([again.trust.level, again.proof?.reference], ['split', { runs: 1, passes: 1 }]);
  });

  test('a plan that was changed, or belongs to other tests, is refused', async () => {
    const copy = join(directory, 'changed', 'task');
    await cp(fixture.split, copy, { recursive: true });
    const plan = join(copy, 'tests/split/plan.json');
    const text = await readFile(plan, 'utf8');
    await writeFile(plan, text.replace('"class":"split"', '"class":"weak"'));
    await assert.rejects(open(copy), { code: 'TASK_ALTERED' });
    await writeFile(plan, '{"version": 1}');
    await sign(copy);
    await assert.rejects(open(copy), { code: 'TASK_INVALID' });
    await cp(join(fixture.inside, 'tests/split/plan.json'), plan);
    await sign(copy);
    await assert.rejects(open(copy), { code: 'TASK_INVALID', message: /other hidden tests/ });
  });
});

/** Writes the digest that belongs to a bundle as it lies there. */
async function sign(task: string): Promise<void> {
  const file = join(task, 'task.toml');
  const blank = withDigest(await readFile(file, 'utf8'), `sha256:${'0'.repeat(64)}`);
  await writeFile(file, blank);
  await writeFile(file, withDigest(blank, await bundleDigest(task)));
}
