import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalJson, type Judgement, type Receipt, type Verdict } from '@assay/protocol';
import { checkReceipt } from './check-receipt.ts';
import { openEnvelope } from './envelope.ts';
import { makeReceipt } from './make-receipt.ts';
import {
  CASES,
  CHECKLIST,
  COMPOSITE,
  PROMPT,
  sampleFile,
  sampleKey,
  standardSubject,
  taskSubject,
  VERDICT,
  VERIFIER_DIGEST,
} from './sample-receipts.fixture.ts';
import { sealResults } from './receipt-results.ts';

const receiptOf = (subject: Parameters<typeof makeReceipt>[0]): Receipt => ({
  ...makeReceipt(subject, VERIFIER_DIGEST),
  signer: '',
});
const statuses = (receipt: Receipt): Record<string, string> =>
  Object.fromEntries(checkReceipt(receipt).map(({ name, status }) => [name, status]));
const GOOD = { results: 'pass', score: 'pass', verdict: 'pass', times: 'pass' };

/** The names of the checks that fail. */
const failing = (receipt: Receipt): string[] =>
  checkReceipt(receipt)
    .filter(({ status }) => status === 'fail')
    .map(({ name }) => name);

describe('honest receipts agree with themselves', () => {
  const verdicts: Record<string, Verdict> = {
    'a fail': VERDICT,
    'a pass': {
      ...VERDICT,
      outcome: 'pass',
      reward: 1,
      tests: VERDICT.tests.map((each) => ({ ...each, status: 'passed' })),
    },
    'an invalid one': { ...VERDICT, outcome: 'invalid', reward: null, tests: [] },
    'a run that was cut off, though all that was expected passed': {
      ...VERDICT,
      tests: VERDICT.tests.map((each) => ({ ...each, status: 'passed' })),
    },
    'odd ids': { ...VERDICT, tests: [{ id: 'a\ud800b', status: 'failed', durationMs: 0 }], note: '\udc00' },
  };
  for (const [name, verdict] of Object.entries(verdicts))
    test(`task: ${name}`, () => assert.deepEqual(statuses(receiptOf(taskSubject(verdict))), GOOD));

  const judgements: Record<string, [Judgement, boolean]> = {
    test_cases: [CASES, true],
    judge_prompt: [PROMPT, false],
    checklist: [CHECKLIST, false],
    composite: [COMPOSITE, false],
    'an invalid judgement': [
      {
        ...PROMPT,
        score: null,
        passed: false,
        outcome: 'invalid',
        results: PROMPT.results.map((each) => ({ ...each, score: null, samples: [] })),
      },
      false,
    ],
    'a submission that says nothing, so that no model was asked': [
      {
        ...PROMPT,
        score: 0,
        passed: false,
        outcome: 'fail',
        results: PROMPT.results.map((each) => ({ ...each, score: 0, samples: [] })),
      },
      false,
    ],
    'an invalid child': [
      {
        ...COMPOSITE,
        score: null,
        passed: false,
        outcome: 'invalid',
        results: [
          {
            kind: 'child',
            id: 's1',
            weight: 1,
            judgement: { ...CASES, score: null, passed: false, outcome: 'invalid', results: [] },
          },
        ],
      },
      true,
    ],
  };
  for (const [name, [judgement, repeatable]] of Object.entries(judgements)) {
    test(`standard: ${name}`, () => {
      const receipt = receiptOf(standardSubject(judgement));
      assert.deepEqual(statuses(receipt), GOOD);
      assert.equal(receipt.repeatable, repeatable);
    });
  }

  test('what is written is what is read', () => {
    for (const subject of [taskSubject(), standardSubject(COMPOSITE)]) {
      const key = sampleKey();
      const opened = openEnvelope(sampleFile(subject, key));
      assert.ok(!('problem' in opened));
      const made = { ...makeReceipt(subject, VERIFIER_DIGEST), signer: key.publicKey };
      assert.equal(canonicalJson(opened.receipt), canonicalJson(made));
    }
  });

  test('neither expectations nor what came stand in it', () => {
    const text = JSON.stringify(receiptOf(standardSubject(COMPOSITE)));
    assert.doesNotMatch(text, /EXPECTED|secret|"got"/);
  });

  test('withheld results are unchecked, not believed', () => {
    assert.deepEqual(statuses(receiptOf({ ...taskSubject(), withhold: true })), {
      ...GOOD,
      results: 'unchecked',
      score: 'unchecked',
    });
  });

  test('with a seal off the reward need not follow', () => {
    const receipt = receiptOf(
      taskSubject({ ...VERDICT, outcome: 'pass', reward: 1, trust: { level: 'unsealed', reasons: [] } }),
    );
    assert.deepEqual(statuses(receipt), { ...GOOD, score: 'unchecked' });
  });
});

describe('lies that were signed are seen', () => {
  const task = receiptOf(taskSubject());
  const prompt = receiptOf(standardSubject(PROMPT));
  const composite = receiptOf(standardSubject(COMPOSITE));
  const passedTests = sealResults(
    (task.results.records ?? []).map((record) => (record.kind === 'test' ? { ...record, status: 'passed' } : record)),
  );
  const samplesOf = (samples: number[]): Receipt['results'] =>
    sealResults(
      (prompt.results.records ?? []).map((record) => (record.kind === 'criterion' ? { ...record, samples } : record)),
    );

  const cases: Record<string, [Receipt, string[]]> = {
    'a reward of 1 with a failed test': [
      { ...task, verdict: { ...task.verdict, outcome: 'pass', passed: true, reward: 1 } },
      ['score'],
    ],
    'a pass with a reward of 0': [
      { ...task, verdict: { ...task.verdict, outcome: 'pass', passed: true } },
      ['verdict'],
    ],
    'passed, but the outcome is fail': [{ ...task, verdict: { ...task.verdict, passed: true } }, ['verdict']],
    'half a reward': [{ ...task, verdict: { ...task.verdict, reward: 0.5 } }, ['score']],
    'a failure without a reason': [
      { ...task, results: passedTests, verdict: { ...task.verdict, note: undefined } },
      ['score'],
    ],
    'a changed record under the old root': [
      { ...task, results: { ...passedTests, root: task.results.root } },
      ['results'],
    ],
    'a record that is left out': [
      { ...task, results: { ...task.results, records: task.results.records?.slice(1) } },
      ['results'],
    ],
    'a test twice': [
      { ...task, results: sealResults([...(task.results.records ?? []), ...(task.results.records ?? [])]) },
      ['results'],
    ],
    'a case among tests': [
      { ...task, results: sealResults([{ kind: 'case', id: 'x', passed: false, weight: 1, durationMs: 0 }]) },
      ['results'],
    ],
    'a score that is higher': [{ ...prompt, verdict: { ...prompt.verdict, score: 71, reward: 0.71 } }, ['score']],
    'samples that say less': [{ ...prompt, results: samplesOf([0, 0, 0]) }, ['score']],
    'a reward that is not a hundredth': [{ ...prompt, verdict: { ...prompt.verdict, reward: 1 } }, ['verdict']],
    'a pass below the line': [
      { ...prompt, scoring: { rule: 'weighted-mean', rounding: 'floor', type: 'judge_prompt', passScore: 80 } },
      ['verdict'],
    ],
    'repeatable, though a model answered': [{ ...prompt, repeatable: true }, ['results']],
    'the rule of tasks for a standard': [
      { ...prompt, scoring: { rule: 'all-passed' } },
      ['results', 'score', 'verdict'],
    ],
    'an end before the beginning': [{ ...task, finishedAt: '2026-02-01T00:00:00.000Z' }, ['times']],
    'a child whose score is another': [
      {
        ...composite,
        results: sealResults(
          (composite.results.records ?? []).map((record) =>
            record.kind === 'child' ? { ...record, score: 61 } : record,
          ),
        ),
      },
      ['results', 'score'],
    ],
  };
  for (const [name, [receipt, expected]] of Object.entries(cases)) {
    test(name, () => {
      const found = failing(receipt);
      assert.ok(found.length > 0, 'nothing failed');
      for (const check of found) assert.ok(expected.includes(check), `${check} failed too`);
    });
  }
});
