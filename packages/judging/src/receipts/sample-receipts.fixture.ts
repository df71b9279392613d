import { generateKeyPairSync } from 'node:crypto';
import type { Judgement, ReceiptResult, Verdict } from '@assay/protocol';
import { publicHalf, type SigningKey } from './key-file.ts';
import { makeReceipt, type ReceiptSubject } from './make-receipt.ts';
import { signReceipt } from './envelope.ts';
import { subjectOfJudgement } from './subject-of-judgement.ts';
import { subjectOfVerdict } from './subject-of-verdict.ts';

const STARTED = new Date('2026-03-01T10:00:00.000Z');
const FINISHED = new Date('2026-03-01T10:00:02.500Z');
export const VERIFIER_DIGEST = `sha256:${'5'.repeat(64)}`;

/** A key that lies in no file. */
export function sampleKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { path: '', privateKey, ...publicHalf(privateKey) };
}

export const VERDICT: Verdict = {
  outcome: 'fail',
  reward: 0,
  components: { f2p_rate: 0.5, f2p_total: 2 },
  tests: [
    { id: 'tests/a.py::one', status: 'passed', durationMs: 3.5 },
    { id: 'tests/a.py::two', status: 'failed', durationMs: 1 },
  ],
  trust: { level: 'in-process', reasons: ['hidden tests and the submission share a process'] },
  isolation: 'namespace',
  limits: 'full',
  verifier: 'pytest@1',
  digests: { task: `sha256:${'1'.repeat(64)}`, submission: '2'.repeat(64), environment: '3'.repeat(64) },
  note: '1 of 2 expected tests did not pass',
};

export const taskSubject = (verdict: Verdict = VERDICT): ReceiptSubject =>
  subjectOfVerdict(verdict, {
    task: 'ink-1a2b',
    trial: 'ink-1a2b.1',
    provider: 'bubblewrap',
    startedAt: STARTED,
    finishedAt: FINISHED,
  });

const judged = { limits: 'full', passScore: 60, verifier: 'judge@1' } as const;
const digests = {
  standard: 'a'.repeat(64),
  submission: 'b'.repeat(64),
  prompt: 'c'.repeat(64),
  transcript: 'd'.repeat(64),
};

/** 2 of 3 cases: 66. */
export const CASES: Judgement = {
  ...judged,
  type: 'test_cases',
  score: 66,
  passed: true,
  outcome: 'pass',
  digests,
  isolation: 'wasm',
  trust: { level: 'split', reasons: [] },
  results: [true, true, false].map((passed, index) => ({
    kind: 'case',
    id: `case-${index + 1}`,
    desc: 'secret',
    passed,
    weight: 1,
    got: 1,
    expected: 'EXPECTED',
    durationMs: 1,
  })),
};

/** Medians 80 and 40, weights 3 and 1: 70. */
export const PROMPT: Judgement = {
  ...judged,
  type: 'judge_prompt',
  score: 70,
  passed: true,
  outcome: 'pass',
  digests,
  isolation: 'none',
  trust: { level: 'judged', reasons: ['a model'] },
  results: [
    {
      kind: 'criterion',
      id: 'c1',
      criterion: 'clear',
      weight: 3,
      score: 80,
      samples: [90, 80, 10],
      spread: 80,
      reasons: ['fine'],
    },
    {
      kind: 'criterion',
      id: 'c2',
      criterion: 'short',
      weight: 1,
      score: 40,
      samples: [40, 40, 40],
      spread: 0,
      reasons: [],
    },
  ],
};

/** 1 of 2 items: 50. */
export const CHECKLIST: Judgement = {
  ...judged,
  type: 'checklist',
  score: 50,
  passed: false,
  outcome: 'fail',
  digests,
  isolation: 'none',
  trust: { level: 'attested', reasons: [] },
  results: [
    { kind: 'item', id: 'i1', check: 'has a title', weight: 1, passed: true, by: 'person', evidence: 'seen' },
    { kind: 'item', id: 'i2', check: 'builds', weight: 1, passed: false, by: 'probe', evidence: 'exit code 1' },
  ],
};

/** floor((2 * 66 + 1 * 70 + 1 * 50) / 4) = 63. */
export const COMPOSITE: Judgement = {
  ...judged,
  type: 'composite',
  score: 63,
  passed: true,
  outcome: 'pass',
  digests,
  isolation: 'wasm',
  trust: { level: 'judged', reasons: [] },
  results: [
    { kind: 'child', id: 's1', weight: 2, judgement: CASES },
    { kind: 'child', id: 's2', weight: 1, judgement: PROMPT },
    { kind: 'child', id: 's3', weight: 1, judgement: CHECKLIST },
  ],
};

export const standardSubject = (judgement: Judgement): ReceiptSubject =>
  subjectOfJudgement(judgement, {
    id: 'Sort',
    provider: 'quickjs',
    cids: { subject: 'bafkqaaa' },
    startedAt: STARTED,
    finishedAt: FINISHED,
  });

export function sampleFile(subject: ReceiptSubject, key: SigningKey): Buffer {
  return Buffer.from(signReceipt(makeReceipt(subject, VERIFIER_DIGEST), key));
}

export const testRecord = (id: string, status: 'passed' | 'failed' = 'passed'): ReceiptResult => ({
  kind: 'test',
  id,
  status,
  durationMs: 1,
});
