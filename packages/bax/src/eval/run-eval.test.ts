import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startFakeModel } from '../../../lanes/src/fake-model/start-fake-model.ts';
import { AssayError, type GradeOrder } from '@assay/protocol';
import { findFramework, findScenario } from '../find-row.ts';
import { FRAMEWORKS } from '../frameworks/index.ts';
import { StoredSample } from '../results/stored-sample.ts';
import { sampleApp } from '../sample-app.ts';
import { evalRows } from './eval-rows.ts';
import { gradeTree } from './grade-tree.ts';
import { gradeWorker } from './grade-worker.ts';
import { orderAnswer } from './ordered-answer.ts';
import { runEval, type EvalRequest } from './run-eval.ts';

const ROW = { scenario: 'Calculator', framework: 'Python-Flask', language: 'Python' } as const;
const right = sampleApp('frameworks/python-flask')['app.py'] ?? '';
const withoutTimes = (grade: unknown): unknown =>
  JSON.parse(JSON.stringify(grade), (key, value: unknown) => (key === 'durationMs' ? undefined : value));
const failsWith =
  (code: string) =>
  (error: unknown): boolean =>
    AssayError.is(error) && error.code === code;

describe('a model that is asked for backends', { timeout: 900_000 }, () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'assay-eval-'));
    assert.equal(await FRAMEWORKS.find(({ id }) => id === ROW.framework)?.unavailable(), null);
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const request = (endpoint: string, out: string, more: Partial<EvalRequest> = {}): EvalRequest => ({
    rows: [ROW],
    model: { name: 'some/model', endpoint },
    samples: 3,
    temperature: 0.2,
    maxTokens: 1000,
    spec: 'openapi',
    safety: 'none',
    profile: 'strict',
    ks: [1, 3],
    out: join(directory, out),
    resume: false,
    jobs: 1,
    ...more,
  });
  const path = (out: string, index: number, file: string): string =>
    join(directory, out, 'some-model/Calculator/Python-Flask/temp0.2-openapi-none', `sample${index}`, file);

  test('every sample is graded and kept, and what is kept is not asked again', async () => {
    const model = await startFakeModel({
      script: {
        order: 'requests',
        turns: [
          { say: `Here it is.\n<CODE>\n${right}\n</CODE>` },
          { say: 'I would rather not.' },
          { say: `<CODE>\n${right.replace('str(value_of(', 'str(1 + value_of(')}\n</CODE>` },
          { fault: 'status', status: 400, repeat: 100 },
        ],
      },
    });
    try {
      const endpoint = `${model.origin}/v1`;
      const report = await runEval(request(endpoint, 'tree'));
      assert.equal(model.requests.length, 3);
      assert.deepEqual([report.all.samples, report.all.rows, report.unanswered.samples, report.invalid], [3, 1, 0, 0]);
      assert.equal(report.all.pass['@1']?.value.toFixed(3), (1 / 3).toFixed(3));
      assert.equal(report.all.sec_pass['@3']?.value, 1);
      assert.match(await readFile(path('tree', 1, 'code/failed'), 'utf8'), /I would rather not/);
      assert.deepEqual(JSON.parse(await readFile(path('tree', 1, 'test_results.json'), 'utf8')).num_ft_exceptions, 2);
      assert.equal(await readFile(path('tree', 0, 'code/app.py'), 'utf8').then((code) => code.trim()), right.trim());

      await assert.rejects(runEval(request(endpoint, 'tree')), failsWith('OUTPUT_OCCUPIED'));
      await rm(path('tree', 0, 'grade.json'));
      const again = await runEval(request(endpoint, 'tree', { resume: true }));
      assert.equal(model.requests.length, 3, 'the response is there, and only its grade was not');
      assert.deepEqual(again.all, report.all);

      const elsewhere = await gradeTree({ directory: join(directory, 'tree'), profile: 'strict', ks: [1], jobs: 1 });
      assert.equal(elsewhere.all.pass['@1']?.value.toFixed(3), (1 / 3).toFixed(3));
      assert.deepEqual(elsewhere.skipped, []);
    } finally {
      await model.close();
    }
  });

  test('an order of a grade travels: another process grades the sample from its JSON alone', async () => {
    const sample = new StoredSample(dirname(path('tree', 0, 'grade.json')));
    const out = join(directory, 'travelled');
    await mkdir(out);
    const as = { framework: findFramework(ROW.framework), profile: 'strict' } as const;
    const order: GradeOrder = {
      version: 1,
      kind: 'grade',
      id: 'travelled',
      scenario: ROW.scenario,
      framework: ROW.framework,
      profile: 'strict',
      answer: await orderAnswer({ form: 'response', path: sample.responsePath }, as),
      provider: 'bubblewrap',
      out,
    };
    execFileSync(process.execPath, [join(import.meta.dirname, 'grade-worker.fixture.ts')], {
      input: JSON.stringify(order),
    });
    const grade = await new StoredSample(out).grade();
    assert.equal(grade?.outcome, 'pass');
    assert.deepEqual(withoutTimes(grade), withoutTimes(await sample.grade()));

    const other = { ...order, answer: { ...order.answer, digest: `sha256:${'0'.repeat(64)}` } };
    await assert.rejects(gradeWorker().run(other), failsWith('ANSWER_UNREADABLE'));

    // What has no code is graded without an instance.
    const elsewhere = { ...findScenario(ROW.scenario), id: 'Elsewhere' };
    const answer = await orderAnswer({ form: 'response', path: join(directory, 'tree', 'eval.json') }, as);
    const foreign = { ...order, scenario: elsewhere.id, answer };
    await assert.rejects(gradeWorker().run(foreign), failsWith('UNKNOWN_SCENARIO'));
    assert.equal((await gradeWorker({ scenarios: [elsewhere] }).run(foreign)).scenario, elsewhere.id);
  });

  test('a service that does not answer is no failure of the model', async () => {
    const model = await startFakeModel({
      script: { order: 'requests', turns: [{ fault: 'status', status: 400, repeat: 100 }] },
    });
    try {
      await assert.rejects(runEval(request(`${model.origin}/v1`, 'unanswered')), failsWith('MODEL_FAILED'));
      await assert.rejects(stat(path('unanswered', 0, 'response.txt')));
    } finally {
      await model.close();
    }
  });

  test('what was answered is graded when the service answers no more, and why is told', async () => {
    const model = await startFakeModel({
      script: { order: 'requests', turns: [{ say: 'No.' }, { fault: 'status', status: 400, repeat: 100 }] },
    });
    try {
      const report = await runEval(request(`${model.origin}/v1`, 'half'));
      assert.deepEqual([report.unanswered.samples, report.all.samples], [2, 1]);
      assert.match(Object.keys(report.unanswered.why).join(), /status 400/);
      await assert.rejects(
        runEval(request(`${model.origin}/v1`, 'half', { resume: true, samples: 50 })),
        /8 times in a row; --resume goes on/,
      );
      assert.ok(model.requests.length < 20, 'the rest is not asked for');
    } finally {
      await model.close();
    }
  });

  test('a sample that cannot be kept ends no other, and is told', async () => {
    const model = await startFakeModel({
      script: { order: 'requests', turns: [{ say: 'No.' }, { say: 'No.' }, { say: 'No.' }] },
    });
    try {
      await mkdir(join(path('in-the-way', 1, 'response.txt'), 'mine'), { recursive: true });
      const endpoint = `${model.origin}/v1`;
      await runEval(request(endpoint, 'in-the-way-settings', { samples: 1 }));
      await cp(join(directory, 'in-the-way-settings/eval.json'), join(directory, 'in-the-way/eval.json'));
      const report = await runEval(request(endpoint, 'in-the-way', { resume: true, samples: 2, ks: [1] }));
      assert.deepEqual(
        [report.all.samples, report.failures.map(({ item, outcome, code }) => [item, outcome, code])],
        [1, [['Calculator Python-Flask #1', 'quarantined', 'UNSAFE_PATH']]],
      );
    } finally {
      await model.close();
    }
  });

  test('an empty answer is one without code', async () => {
    const model = await startFakeModel({ script: { order: 'requests', turns: [{ say: '' }] } });
    try {
      const report = await runEval(request(`${model.origin}/v1`, 'empty', { samples: 1, ks: [1] }));
      assert.deepEqual([report.all.samples, report.all.pass['@1']?.value, model.requests.length], [1, 0, 1]);
    } finally {
      await model.close();
    }
  });

  test('a directory of something else, and a tree of other settings, are refused and left as they are', async () => {
    await mkdir(join(directory, 'foreign'));
    await writeFile(join(directory, 'foreign/mine.txt'), 'mine');
    const dead = 'http://127.0.0.1:9/v1';
    for (const resume of [true, false])
      await assert.rejects(runEval(request(dead, 'foreign', { resume })), failsWith('OUTPUT_OCCUPIED'));
    assert.deepEqual(await readdir(join(directory, 'foreign')), ['mine.txt']);
    await assert.rejects(runEval(request(dead, 'foreign/mine.txt/below')), failsWith('OUTPUT_UNWRITABLE'));
    await assert.rejects(runEval(request(dead, 'tree', { resume: true, profile: 'upstream' })), /profile differs/);
    await assert.rejects(
      runEval(request(dead, 'tree', { resume: true, model: { name: 'other', endpoint: dead } })),
      /model differs/,
    );
    await assert.rejects(runEval(request('http://user:key@127.0.0.1:9/v1', 'credentials')), failsWith('BAD_OPTION'));
    await assert.rejects(
      runEval(request(dead, 'long', { model: { name: 'x'.repeat(256), endpoint: dead } })),
      failsWith('BAD_OPTION'),
    );
  });

  test('code that was put into a tree by hand is graded, and what cannot be is told', async () => {
    const tree = join(directory, 'by-hand');
    const sample = (row: string, name = 'sample0'): string => join(tree, row, 'temp0.2-openapi-none', name);
    for (const row of ['m/Calculator/Python-Flask', 'm/Wiki/Python-Flask', 'm/Calculator/Perl-CGI']) {
      await mkdir(join(sample(row), 'code'), { recursive: true });
      await writeFile(join(sample(row), 'code/app.py'), right);
    }
    await mkdir(sample('m/Calculator/Python-Flask', 'sample1'));
    await symlink('../sample0/code', join(sample('m/Calculator/Python-Flask', 'sample1'), 'code'));
    await writeFile(join(sample('m/Calculator/Python-Flask'), 'code/app.py'), 'print("it passed")');
    await cp(path('tree', 0, 'grade.json'), join(sample('m/Calculator/Python-Flask'), 'grade.json'));
    const believed = await gradeTree({ directory: tree, profile: 'strict', ks: [1], jobs: 1, resume: true });
    assert.equal(believed.all.sec_pass['@1']?.value, 1, 'control: a grade that is believed');
    const forged = await gradeTree({ directory: tree, profile: 'strict', ks: [1], jobs: 1 });
    assert.equal(forged.all.sec_pass['@1']?.value, 0, 'a grade that came with the tree is not');
    await writeFile(join(sample('m/Calculator/Python-Flask'), 'code/app.py'), right);
    const graded = await gradeTree({ directory: tree, profile: 'upstream', ks: [1], jobs: 1 });
    assert.equal(graded.all.sec_pass['@1']?.value, 1);
    assert.deepEqual(graded.skipped.map(({ why }) => why).sort(), [
      'Wiki has no tests yet',
      'it is no directory',
      'no framework is called Perl-CGI',
    ]);
    await assert.rejects(
      gradeTree({ directory: join(directory, 'nowhere'), profile: 'strict', ks: [1] }),
      failsWith('ANSWER_UNREADABLE'),
    );
  });
});

test(
  'pipes in a tree keep nobody waiting, and directories in the way of what is written are told',
  { timeout: 300_000 },
  async () => {
    const tree = await mkdtemp(join(tmpdir(), 'assay-eval-odd-'));
    try {
      const sample = join(tree, 'm/Calculator/Python-Flask/temp0.2-openapi-none/sample0');
      await mkdir(join(sample, 'code'), { recursive: true });
      await writeFile(join(sample, 'code/failed'), 'no code');
      for (const pipe of ['grade.json', 'response.txt', 'code/pipe']) execFileSync('mkfifo', [join(sample, pipe)]);
      const grading = { directory: tree, profile: 'strict', ks: [1], jobs: 1, resume: true } as const;
      assert.equal((await gradeTree(grading)).all.pass['@1']?.value, 0);
      assert.ok((await stat(join(sample, 'grade.json'))).isFile());
      await rm(join(tree, 'report.json'));
      await mkdir(join(tree, 'report.json'));
      await assert.rejects(gradeTree(grading), /report\.json: a directory is in the way/);
      await rm(join(tree, 'report.json'), { recursive: true });
      await rm(join(sample, 'grade.json'));
      await mkdir(join(sample, 'grade.json'));
      const { skipped, all } = await gradeTree(grading);
      assert.deepEqual([skipped.map(({ why }) => why), all.samples], [['a directory is in the way'], 0]);
    } finally {
      await rm(tree, { recursive: true });
    }
  },
);

describe('the rows to ask for', () => {
  const words = { split: undefined, languages: [], scenarios: [], envs: [] };

  test('are those that can be graded', () => {
    const scenarios = new Set(evalRows({ ...words, languages: ['all'] }).map(({ scenario }) => scenario));
    assert.ok(scenarios.has('Calculator') && !scenarios.has('Wiki'));
  });

  test('a side of the split holds none of the other', () => {
    const sides = (['train', 'eval'] as const).map(
      (split) => new Set(evalRows({ ...words, split }).map(({ scenario }) => scenario)),
    );
    assert.deepEqual(
      [...(sides[0] ?? [])].filter((name) => sides[1]?.has(name)),
      [],
    );
  });

  const refusals: [string, Partial<Parameters<typeof evalRows>[0]>, string][] = [
    ['a side that there is not', { split: 'test' }, 'BAD_OPTION'],
    ['a scenario that there is not', { scenarios: ['Nothing'] }, 'BAD_OPTION'],
    ['a scenario without tests', { scenarios: ['Wiki'] }, 'NOT_GRADABLE'],
  ];
  for (const [name, more, code] of refusals)
    test(`${name} is refused`, () => assert.throws(() => evalRows({ ...words, ...more }), failsWith(code)));
});
