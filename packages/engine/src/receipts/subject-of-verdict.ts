import { AssayError, type ReceiptResult, type Verdict } from '@assay/protocol';
import type { ReceiptSubject } from './make-receipt.ts';

/** What a verdict on a repository task does not say of itself. */
export interface VerdictContext {
  task: string;
  trial?: string;
  provider: string;
  startedAt: Date;
  finishedAt: Date;
}

/** The verdict on a task, as receipts take it. */
export function subjectOfVerdict(verdict: Verdict, { task, trial, provider, startedAt, finishedAt }: VerdictContext): ReceiptSubject {
  const { task: subject, submission, environment } = verdict.digests;
  if (!subject || !submission) throw new AssayError('IMPOSSIBLE', { detail: 'a verdict without the digests of its task and submission' });
  return {
    kind: 'task',
    id: task,
    ...(trial ? { trial } : {}),
    digests: { subject, submission, ...(environment ? { environment } : {}) },
    verifier: verdict.verifier,
    sandbox: { provider, isolation: verdict.isolation, limits: verdict.limits },
    scoring: { rule: 'all-passed' },
    results: resultsOfVerdict(verdict),
    verdict: { outcome: verdict.outcome, reward: verdict.reward, components: verdict.components, ...(verdict.note === undefined ? {} : { note: verdict.note }) },
    trust: verdict.trust,
    startedAt,
    finishedAt,
  };
}

export function resultsOfVerdict({ tests }: Verdict): ReceiptResult[] {
  return tests.map(({ id, status, durationMs }) => ({ kind: 'test', id: id.toWellFormed(), status, durationMs }));
}
