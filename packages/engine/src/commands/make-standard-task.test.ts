import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AssayError, type StandardTaskResult } from '@assay/protocol';
import { readTask } from '../bundle/read-task.ts';
import { makeStandardTask, type StandardTaskOptions } from './make-standard-task.ts';
import { validateTasks } from './validate.ts';

const SECRET = 'expected-7c1f09';
const DOUBLE = {
  type: 'test_cases',
  title: 'Say it twice',
  functionName: 'twice',
  description: 'Returns the text two times.',
  cases: [
    { input: ['a'], expected: 'aa' },
    { input: ['expected-7c1f0', '9'], expected: SECRET, desc: 'two texts' },
  ],
};
const REFERENCE = 'function twice(a, b) { return b === undefined ? a + a : a + b; }\n';

describe('makeStandardTask', () => {
  let home: string;
  let counter = 0;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'assay-make-standard-'));
  });
  after(() => rm(home, { recursive: true, force: true }));

  async function file(name: string, text: string): Promise<string> {
    const path = join(home, `${counter++}-${name}`);
    await writeFile(path, text);
    return path;
  }

  async function make(
    document: object,
    reference: string | null,
    options: Partial<StandardTaskOptions> = {},
  ): Promise<StandardTaskResult> {
    return makeStandardTask({
      standard: await file('standard.json', JSON.stringify(document)),
      out: join(home, `task-${counter++}`),
      ...(reference === null ? {} : { reference: await file('reference', reference) }),
      ...options,
    });
  }

  const refused = (work: Promise<unknown>, code: string, pattern: RegExp): Promise<void> =>
    assert.rejects(work, (error) => AssayError.is(error) && error.code === code && pattern.test(error.message));

  test('a reference that passes makes a proven task, and expected values lie under tests/ alone', async () => {
    const made = await make(DOUBLE, REFERENCE);
    assert.deepEqual(
      [made.answer, made.proof, made.unproven, made.harbor],
      ['solution.js', { reference: { runs: 3, passes: 3 }, noop: { runs: 3, passes: 0 } }, null, null],
    );
    const task = await readTask(made.directory);
    assert.ok(task.kind === 'standard');
    assert.equal(task.meta.digest, made.digest);
    assert.match(task.instruction, /# Say it twice[\s\S]*Write the answer to \/workspace\/solution\.js\.\n$/);
    assert.ok(!JSON.stringify(task.toml).includes(home), 'no path of this machine');
    const holders: string[] = [];
    for (const entry of await readdir(made.directory, { recursive: true })) {
      const path = join(made.directory, entry);
      if ((await stat(path)).isFile() && (await readFile(path)).includes(SECRET)) holders.push(entry);
    }
    assert.deepEqual(holders, ['tests/standard.json']);
  });

  test('the same standard makes the same bundle, and is left as it is', async () => {
    const standard = await file('standard.json', JSON.stringify(DOUBLE));
    const reference = await file('reference', REFERENCE);
    const [first, second] = [
      await makeStandardTask({ standard, reference, out: join(home, 'same-1') }),
      await makeStandardTask({ standard, reference, out: join(home, 'same-2') }),
    ];
    assert.equal(first.digest, second.digest);
    assert.equal((await makeStandardTask({ standard, reference, out: join(home, 'same-1') })).digest, first.digest);
    await refused(makeStandardTask({ standard, out: join(home, 'same-1') }), 'OUTPUT_OCCUPIED', /another task/);
  });

  test('a reference that does not pass writes nothing and says why', async () => {
    const out = join(home, 'wrong');
    await refused(
      make(DOUBLE, 'const twice = () => null;', { out }),
      'TASK_UNPROVEN',
      /reference passes 0 of 3: score 0 with 60 to pass, such as case-1: the value: expected "aa", got null/,
    );
    await assert.rejects(stat(out));
  });

  test('without a reference, and where a model has to judge, the task is written unproven, and validate says so', async () => {
    const bare = await make(DOUBLE, null);
    assert.deepEqual([bare.proof, bare.unproven], [null, 'there is no reference solution']);
    const essay = await make(
      { type: 'judge_prompt', prompt: 'An essay on tea.' },
      'An essay on tea, its leaves, and its history in China.',
    );
    assert.deepEqual([essay.answer, essay.proof, essay.unproven], ['submission.md', null, 'a model has to judge this']);
    assert.match(essay.harbor ?? '', /^a model/);
    for (const [{ directory }, reason] of [
      [bare, 'it cannot be proven: it carries no reference solution'],
      [essay, 'it cannot be proven: a model has to judge this'],
    ] as const) {
      const {
        tasks: [report],
      } = await validateTasks({ path: directory, runs: 1 });
      assert.deepEqual([report?.admitted, report?.reasons], [false, [reason]]);
      assert.equal((await readTask(directory)).meta.proof, undefined);
    }
  });

  test('names: from the title, as given, or refused', async () => {
    assert.match((await make(DOUBLE, null)).task, /^say-it-twice-[0-9a-f]{8}$/);
    assert.equal((await make(DOUBLE, null, { name: 'twice.1' })).task, 'twice.1');
    await refused(make(DOUBLE, null, { name: '../twice' }), 'BAD_OPTION', /--name/);
    await refused(make({ type: 'riddle' }, null), 'STANDARD_INVALID', /expected type/);
  });

  test('a bundle whose document was changed is refused', async () => {
    const { directory } = await make(DOUBLE, REFERENCE);
    await writeFile(
      join(directory, 'tests', 'standard.json'),
      JSON.stringify({ ...DOUBLE, cases: DOUBLE.cases.slice(0, 1) }),
    );
    await refused(readTask(directory), 'TASK_ALTERED', /digest/);
  });
});
