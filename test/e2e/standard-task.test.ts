/** A standard becomes a task, lies beside one of a repository, and every agent can attempt both. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scriptedAnswer } from '../../packages/judging/src/standards/jury/scripted-answer.fixture.ts';
import { useFakeModelServer } from '@assay/testkit';
import { assay, assertRefused, type Ended } from './assay-process.ts';
import { mineFixtureTask, type FixtureTask } from './fixture-tasks.ts';

const STANDARD = {
  type: 'test_cases',
  title: 'Roman numerals',
  functionName: 'roman',
  language: 'python',
  description: 'Writes a number from 1 to 39 as a Roman numeral.',
  cases: [
    { input: [4], expected: 'IV' },
    { input: [9], expected: 'IX' },
    { input: [28], expected: 'XXVIII' },
  ],
};
const REFERENCE = `def roman(number):
    text = ""
    for value, letters in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while number >= value:
            text += letters
            number -= value
    return text
`;
const PARTLY = 'def roman(number):\n    return {4: "IV", 9: "IX"}.get(number, "I")\n';

interface JobResult {
  directory: string;
  trials: { task: string; outcome: string; reward: number | null; note?: string }[];
  summary: { passed: number; invalid: number };
}

let directory: string;
let fixture: FixtureTask;
let task: string;

async function call(...words: string[]): Promise<Ended> {
  return assay(words, { cwd: directory, env: { XDG_CONFIG_HOME: join(directory, 'config') } });
}

/** `--json` goes before the words after `--`. */
async function callJson<T>(exitCode: number, ...words: string[]): Promise<T> {
  const at = words.includes('--') ? words.indexOf('--') : words.length;
  const ended = await call(...words.toSpliced(at, 0, '--json'));
  assert.equal(ended.exitCode, exitCode, ended.stderr);
  return JSON.parse(ended.stdout) as T;
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-standard-task-'));
  fixture = await mineFixtureTask('python');
  task = join(fixture.dataset, 'roman');
  await writeFile(join(directory, 'standard.json'), JSON.stringify(STANDARD));
  await writeFile(join(directory, 'reference.py'), REFERENCE);
  await writeFile(join(directory, 'partly.py'), PARTLY);
});
after(async () => {
  await fixture.dispose();
  await rm(directory, { recursive: true, force: true });
});

describe('standard task', () => {
  test('writes a proven task beside one of a repository', async () => {
    const made = await callJson<{ answer: string; proof: object }>(
      0,
      'standard',
      'task',
      'standard.json',
      '--out',
      task,
      '--reference',
      'reference.py',
      '--name',
      'roman',
    );
    assert.deepEqual(
      [made.answer, made.proof],
      ['solution.py', { reference: { runs: 3, passes: 3 }, noop: { runs: 3, passes: 0 } }],
    );
    assertRefused(
      await call(
        'standard',
        'task',
        'standard.json',
        '--out',
        join(directory, 'wrong'),
        '--reference',
        'standard.json',
      ),
      /reference passes 0 of 3/,
    );
    const { tasks } = await callJson<{ tasks: { id: string; admitted: boolean }[] }>(
      0,
      'validate',
      task,
      '--runs',
      '1',
    );
    assert.deepEqual(
      tasks.map(({ id, admitted }) => [id, admitted]),
      [['roman', true]],
    );
  });

  test('the oracle passes both, the no-op neither', async () => {
    const oracle = await callJson<JobResult>(0, 'run', fixture.dataset, '--agent', 'oracle', '--out', 'oracle');
    assert.deepEqual(
      oracle.trials.map(({ reward }) => reward),
      [1, 1],
    );
    const nop = await callJson<JobResult>(0, 'run', fixture.dataset, '--agent', 'nop', '--out', 'nop');
    assert.deepEqual(
      nop.trials.map(({ reward }) => reward),
      [0, 0],
    );
    assert.match(nop.trials.find((trial) => trial.task === 'roman')?.note ?? '', /has no solution\.py$/);
  });

  test('an agent finds an empty directory, its tools and no expected value, and is scored by the case', async () => {
    const look = `ls -A; python3 --version; node --version; cp /proc/self/environ . ; printf '%s' '${PARTLY.replaceAll('\n', '\\n')}' | sed 's/\\\\n/\\n/g' > solution.py`;
    const job = await callJson<JobResult>(0, 'run', task, '--agent', 'exec', '--out', 'exec', '--', look);
    assert.deepEqual(
      job.trials.map(({ outcome, reward }) => [outcome, reward]),
      [['pass', 0.66]],
    );
    const log = await readFile(join(job.directory, 'trials', 'roman.1', 'logs', 'agent.txt'), 'utf8');
    assert.match(log, /^README\.md\nPython 3\.\S+\nv\d/);
    assert.doesNotMatch(log, /XXVIII/);
    const verdict = JSON.parse(await readFile(join(job.directory, 'trials', 'roman.1', 'verdict.json'), 'utf8')) as {
      components: object;
    };
    assert.deepEqual(verdict.components, { score: 66, pass_score: 60, cases_passed: 2, cases_total: 3 });
  });

  test('grade takes the answer file; its receipt and those of trials hold, and come out again', async () => {
    const verdict = await callJson<{ outcome: string; reward: number }>(
      0,
      'grade',
      task,
      '--submission',
      'partly.py',
      '--receipt',
      'receipt.json',
    );
    assert.deepEqual([verdict.outcome, verdict.reward], ['pass', 0.66]);
    const { keyId } = await callJson<{ keyId: string }>(0, 'key', 'show');
    const again = ['--trust', keyId, '--rejudge', '--task', task];
    await callJson(0, 'receipt', 'verify', 'receipt.json', ...again, '--submission', 'partly.py');
    await callJson(1, 'receipt', 'verify', 'receipt.json', ...again, '--submission', 'reference.py');
    for (const job of ['oracle', 'nop', 'exec'])
      await callJson(0, 'receipt', 'verify', join(job, 'trials', 'roman.1', 'receipt.json'), ...again);
    const judgement = join(directory, 'exec', 'trials', 'roman.1', 'judgement.json');
    await writeFile(judgement, (await readFile(judgement, 'utf8')).replace('"score": 66', '"score": 99'));
    const { checks } = await callJson<{ checks: { name: string; status: string }[] }>(
      1,
      'receipt',
      'verify',
      join('exec', 'trials', 'roman.1', 'receipt.json'),
      '--trust',
      keyId,
    );
    assert.deepEqual(
      checks.filter(({ status }) => status === 'fail').map(({ name }) => name),
      ['verdict.json'],
    );
  });

  test('what is about repositories is refused', async () => {
    assertRefused(await call('cheats', task), /is a standard task, and this works on repository tasks alone/);
    assertRefused(
      await call('run', fixture.dataset, '--agent', 'cheat:B1', '--out', 'refused'),
      /roman is a standard task/,
    );
    assertRefused(
      await call('run', fixture.dataset, '--agent', 'nop', '--unseal', 'history', '--out', 'refused'),
      /roman is a standard task/,
    );
  });

  test('without a reference or a model: unproven, said so, and never a score', async () => {
    await writeFile(
      join(directory, 'essay.json'),
      JSON.stringify({ type: 'judge_prompt', prompt: 'An essay on tea.' }),
    );
    const made = await callJson<{ proof: null; unproven: string }>(
      0,
      'standard',
      'task',
      'essay.json',
      '--out',
      'open/essay',
    );
    assert.deepEqual([made.proof, made.unproven], [null, 'there is no reference solution']);
    const validated = await call('validate', 'open');
    assert.equal(validated.exitCode, 1);
    assert.match(validated.stdout, /it cannot be proven: it carries no reference solution/);
    const oracle = await callJson<JobResult>(0, 'run', 'open', '--agent', 'oracle', '--out', 'no-oracle');
    assert.match(
      oracle.trials[0]?.note ?? '',
      /^the oracle has nothing to hand in: the task carries no reference solution; there is no answer/,
    );
    const written = await callJson<JobResult>(
      0,
      'run',
      'open',
      '--agent',
      'exec',
      '--out',
      'no-model',
      '--',
      'echo Tea grows on bushes in China and Japan. > submission.md',
    );
    assert.deepEqual(
      written.trials.map(({ outcome, reward }) => [outcome, reward]),
      [['invalid', null]],
    );
    assert.match(written.trials[0]?.note ?? '', /^a model has to judge this\. Give --judge-endpoint and --judge-model/);
    assertRefused(
      await call('run', 'open', '--agent', 'nop', '--judge-model', 'm'),
      /--judge-model: give --judge-endpoint too/,
    );
  });

  test('a model that is given judges in a job, and its receipt says that it cannot be repeated', async () => {
    await writeFile(
      join(directory, 'letter.json'),
      JSON.stringify({ type: 'judge_prompt', prompt: 'A letter.', criteria: ['tone', 'length'] }),
    );
    await callJson(0, 'standard', 'task', 'letter.json', '--out', 'model/letter', '--name', 'letter');
    const {
      endpoints: { openai },
    } = await useFakeModelServer((request) => scriptedAnswer(request, { c1: 90, c2: 50 }));
    const judge = ['--judge-endpoint', openai, '--judge-model', 'm-1'];
    const job = await callJson<JobResult>(
      0,
      'run',
      'model',
      '--agent',
      'exec',
      '--out',
      'judged',
      ...judge,
      '--',
      'echo Dear friend, the tea that you sent was a delight. > submission.md',
    );
    assert.deepEqual(
      job.trials.map(({ outcome, reward }) => [outcome, reward]),
      [['pass', 0.7]],
    );
    assertRefused(
      await call(
        'run',
        'model',
        '--agent',
        'exec',
        '--out',
        'judged',
        '--resume',
        '--',
        'echo Dear friend, the tea that you sent was a delight. > submission.md',
      ),
      /another job: judge differs/,
    );
    const { keyId } = await callJson<{ keyId: string }>(0, 'key', 'show');
    const { checks } = await callJson<{ checks: { name: string; detail: string }[] }>(
      0,
      'receipt',
      'verify',
      join('judged', 'trials', 'letter.1', 'receipt.json'),
      '--trust',
      keyId,
      '--rejudge',
      '--task',
      'model/letter',
    );
    assert.match(checks.find(({ name }) => name === 'rejudge')?.detail ?? '', /^not repeatable/);
  });
});
