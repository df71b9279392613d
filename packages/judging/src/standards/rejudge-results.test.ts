import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError, type Standard } from '@assay/protocol';
import { chooseProvider } from '@assay/sandbox';
import { QuickJSProvider } from '@assay/sandbox/quickjs';
import { isRepeatable, leavesOf } from '../receipts/receipt-results.ts';
import { resultsOfJudgement } from '../receipts/subject-of-judgement.ts';
import { judgeSubmission, type JudgeOptions } from './judge-submission.ts';
import { rejudgeResults } from './rejudge-results.ts';

const options: JudgeOptions = {
  testProvider: async () => new QuickJSProvider(),
  shellProvider: () => chooseProvider('namespace'),
  submissionName: 'answer.js',
};
const ask = (): Promise<{ passed: boolean; evidence: string }> => Promise.resolve({ passed: true, evidence: 'looked' });
const CODE = Buffer.from('function f(x) { return x }');

const CASES: Standard = {
  type: 'test_cases',
  functionName: 'f',
  cases: [
    { input: [1], expected: 1 },
    { input: [2], expected: 'other' },
  ],
};
const CHECKLIST: Standard = {
  type: 'checklist',
  items: [
    'reads well',
    { check: 'is there', probe: { command: 'test -s answer.js' } },
    'is short',
    { check: 'has a class', probe: { command: 'grep class answer.js' } },
  ],
};
const WHOLE: Standard = {
  type: 'composite',
  children: [
    { weight: 1, standard: CHECKLIST },
    {
      weight: 2,
      standard: {
        type: 'composite',
        children: [
          { weight: 1, standard: CASES },
          { weight: 1, standard: CHECKLIST },
        ],
      },
    },
  ],
};

describe('what nobody has to be asked for', () => {
  test('of cases is everything', async () => {
    const { judgement } = await judgeSubmission(CASES, CODE, options);
    const strip = (records: ReturnType<typeof resultsOfJudgement>): unknown[] =>
      records.map((record) => ({ ...record, durationMs: 0 }));
    assert.deepEqual(strip(await rejudgeResults(CASES, CODE, options)), strip(resultsOfJudgement(judgement)));
  });

  test('of a prompt for a model is nothing, and no model is asked', async () => {
    assert.deepEqual(await rejudgeResults({ type: 'judge_prompt', prompt: 'is it good?' }, CODE, options), []);
  });

  test('of a composite are its cases and probes, under the ids of the whole', async () => {
    const { judgement } = await judgeSubmission(WHOLE, CODE, { ...options, ask });
    const expected = [...leavesOf(resultsOfJudgement(judgement))].filter(([, leaf]) => isRepeatable([leaf]));
    const again = leavesOf(await rejudgeResults(WHOLE, CODE, options));
    assert.deepEqual(
      [...again.keys()],
      expected.map(([id]) => id),
    );
    assert.deepEqual([...again.keys()].slice(0, 2), ['child-1/i2', 'child-1/i4']);
    for (const [id, leaf] of expected) {
      const other = again.get(id);
      assert.ok('passed' in leaf && other && 'passed' in other);
      assert.equal(other.passed, leaf.passed, id);
    }
  });

  test('a sandbox that breaks is an error, not a difference', async () => {
    const broken = {
      name: 'broken',
      create: () => Promise.reject(new AssayError('SANDBOX_START_FAILED', { provider: 'broken', detail: 'no' })),
      destroy: () => Promise.resolve(),
    };
    await assert.rejects(rejudgeResults(CASES, CODE, { ...options, testProvider: async () => broken }), {
      code: 'REJUDGE_FAILED',
    });
  });
});
