import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Standard, Verdict } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { useFakeModelServer } from '@assay/testkit';
import type { StandardTask } from '../../bundle/task.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { openChatModel } from '@assay/lanes/models/chat-model';
import { answerFileOf } from '../../bundle/standard/answer-file.ts';
import { scriptedAnswer } from '../../../../judging/src/standards/jury/scripted-answer.fixture.ts';
import { verifyAnswer, type AnswerVerdict, type VerifyAnswerOptions } from './verify-answer.ts';

const ADD = {
  type: 'test_cases',
  functionName: 'add',
  cases: [
    { input: [1, 2], expected: 3 },
    { input: [2, 2], expected: 4 },
    { input: [3, 3], expected: 6 },
  ],
};
const PARTLY = 'const add = (a, b) => a === 3 ? 0 : a + b;';
const provider = await chooseProvider('bubblewrap');

function about(document: unknown): { task: StandardTask; standard: Standard } {
  const standard = Standard.parse(document);
  const meta: StandardTask['meta'] = {
    version: 1,
    kind: 'standard',
    pipeline: 'standard',
    source: 'file:s.json',
    network: 'none',
    digest: `sha256:${'a'.repeat(64)}`,
    standard: { type: standard.type, digest: 'b'.repeat(64) },
    ...answerFileOf(standard),
  };
  const toml: StandardTask['toml'] = {
    schema_version: '1.4',
    task: { name: 'assay/x', description: '', keywords: [] },
    agent: {},
    verifier: { timeout_sec: 600 },
    environment: {},
    metadata: { assay: meta },
  };
  return { task: { kind: 'standard', directory: '/nowhere', id: 'x', toml, meta, instruction: '' }, standard };
}

async function grade(
  document: unknown,
  files: Record<string, string>,
  options: Partial<VerifyAnswerOptions> = {},
): Promise<AnswerVerdict> {
  const submission: ChangeSet = {
    files: Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text), executable: false })),
    deleted: [],
  };
  const answer = await verifyAnswer(about(document), submission, { provider, ...options });
  assert.deepEqual(Verdict.parse(answer.verdict), answer.verdict);
  return answer;
}

describe('verifyAnswer', () => {
  test('the reward is a hundredth of the score, and every case is a test', async () => {
    const { verdict, provider: ran } = await grade(ADD, { 'solution.js': PARTLY, 'notes.md': 'x' });
    assert.deepEqual([verdict.outcome, verdict.reward, ran], ['pass', 0.66, 'quickjs']);
    assert.deepEqual(verdict.components, { score: 66, pass_score: 60, cases_passed: 2, cases_total: 3 });
    assert.deepEqual(
      verdict.tests.map(({ id, status }) => [id, status]),
      [
        ['case-1', 'passed'],
        ['case-2', 'passed'],
        ['case-3', 'failed'],
      ],
    );
    assert.deepEqual([verdict.trust.level, verdict.isolation], ['split', 'wasm']);
    assert.deepEqual(Object.keys(verdict.digests).sort(), ['standard', 'submission', 'task']);
    assert.equal((await grade({ ...ADD, passScore: 70 }, { 'solution.js': PARTLY })).verdict.outcome, 'fail');
  });

  test('other languages run with the provider of the job', async () => {
    const { verdict, provider: ran } = await grade(
      { ...ADD, language: 'python' },
      { 'solution.py': 'def add(a, b):\n    return a + b\n' },
    );
    assert.deepEqual([verdict.reward, verdict.isolation, ran], [1, 'namespace', 'bubblewrap']);
  });

  test('a submission without the answer file has failed, whatever else is in it', async () => {
    for (const files of [{}, { 'solution.ts': PARTLY, 'sub/solution.js': PARTLY }] as Record<string, string>[]) {
      const { verdict, judgement, missing } = await grade(ADD, files);
      assert.deepEqual([verdict.outcome, verdict.reward, judgement, missing], ['fail', 0, undefined, undefined]);
      assert.equal(verdict.note, 'there is no answer: the submission has no solution.js');
    }
  });

  test('tests of a composite are named by their part', async () => {
    const composite = {
      type: 'composite',
      children: [
        { weight: 1, standard: ADD },
        { weight: 1, standard: { ...ADD, cases: ADD.cases.slice(0, 1) } },
      ],
    };
    const { verdict } = await grade(composite, { 'solution.js': PARTLY });
    assert.equal(verdict.reward, 0.83);
    assert.deepEqual(
      verdict.tests.map(({ id }) => id),
      ['child-1/case-1', 'child-1/case-2', 'child-1/case-3', 'child-2/case-1'],
    );
  });

  test('probes of a checklist see the file under its name; an item that nobody answers makes it invalid', async () => {
    const probed = {
      type: 'checklist',
      items: [
        { check: 'names tea', probe: { command: 'grep -q tea submission.md' } },
        { check: 'is long', probe: { command: 'test "$(wc -c < submission.md)" -gt 1000' } },
      ],
    };
    const { verdict } = await grade(probed, { 'submission.md': 'about tea\n' });
    assert.deepEqual([verdict.outcome, verdict.reward], ['fail', 0.5]);
    assert.deepEqual(
      verdict.tests.map(({ status }) => status),
      ['passed', 'failed'],
    );
    const open = await grade({ ...probed, items: [...probed.items, 'is good'] }, { 'submission.md': 'about tea\n' });
    assert.deepEqual([open.verdict.outcome, open.verdict.reward], ['invalid', null]);
    assert.match(open.missing ?? '', /^nobody answers/);
  });

  test('a model judges when there is one; without one the verdict is invalid and says what to give', async () => {
    const essay = { type: 'judge_prompt', prompt: 'An essay on tea.', criteria: ['facts', 'style'] };
    const files = { 'submission.md': 'Tea is a drink made of leaves, and it was first drunk in China.\n' };
    const { verdict, missing } = await grade(essay, files);
    assert.deepEqual([verdict.outcome, verdict.reward, missing], ['invalid', null, 'a model has to judge this']);
    assert.match(verdict.note ?? '', /--judge-endpoint and --judge-model$/);
    const {
      endpoints: { openai: endpoint },
    } = await useFakeModelServer((request) => scriptedAnswer(request, { c1: 80, c2: 50 }));
    const model = {
      model: openChatModel({ endpoint, model: 'm-1', apiKey: 'k', backOffMs: 1, attempts: 2 }),
      modelName: 'm-1',
      endpoint,
    };
    const judged = await grade(essay, files, { model });
    assert.deepEqual(
      [judged.verdict.outcome, judged.verdict.reward, judged.verdict.trust.level],
      ['pass', 0.65, 'judged'],
    );
    assert.deepEqual(
      judged.verdict.tests.map(({ status }) => status),
      ['passed', 'failed'],
    );
  });
});
