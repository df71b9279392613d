import { AssayError, type Judgement, type ReceiptResult, type Verdict } from '@assay/protocol';
import type { ReceiptSubject } from './make-receipt.ts';
import { resultsOfJudgement } from './subject-of-judgement.ts';

/** Facts for a receipt that a verdict on a task does not contain. */
export interface VerdictContext {
  task: string;
  trial?: string;
  /** Name of what ran the submission, or `none`. */
  provider: string;
  /** Where the verdict comes from a standard: then each result counts by its weight. */
  judgement?: Judgement;
  startedAt: Date;
  finishedAt: Date;
}

/** The verdict on a task, as receipts take it. */
export function subjectOfVerdict(
  verdict: Verdict,
  { task, trial, provider, judgement, startedAt, finishedAt }: VerdictContext,
): ReceiptSubject {
  const { task: subject, submission, environment, prompt, transcript, answers } = verdict.digests;
  if (!subject || !submission)
    throw new AssayError('IMPOSSIBLE', { detail: 'a verdict without the digests of its task and submission' });
  return {
    kind: 'task',
    id: task,
    trial,
    digests: { subject, submission, environment, prompt, transcript, answers },
    verifier: verdict.verifier,
    sandbox: { provider, isolation: verdict.isolation, limits: verdict.limits },
    scoring: judgement
      ? { rule: 'weighted-mean', rounding: 'floor', type: judgement.type, passScore: judgement.passScore }
      : { rule: 'all-passed' },
    results: judgement ? resultsOfJudgement(judgement) : resultsOfVerdict(verdict),
    verdict: {
      outcome: verdict.outcome,
      reward: verdict.reward,
      score: judgement?.score,
      components: verdict.components,
      note: verdict.note,
    },
    trust: verdict.trust,
    startedAt,
    finishedAt,
  };
}

export function resultsOfVerdict({ tests }: Verdict): ReceiptResult[] {
  return tests.map(({ id, status, durationMs }) => ({ kind: 'test', id: id.toWellFormed(), status, durationMs }));
}
