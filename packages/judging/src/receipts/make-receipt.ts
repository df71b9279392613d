import type {
  IsolationLevel,
  LimitsLevel,
  Outcome,
  Receipt,
  ReceiptResult,
  ReceiptScoring,
  Trust,
} from '@assay/protocol';
import { isRepeatable, sealResults, withholdRecords } from './receipt-results.ts';

/** Input of a receipt, however its verdict was reached. `subjectOfVerdict` and `subjectOfJudgement` make one. */
export interface ReceiptSubject {
  kind: 'task' | 'standard';
  /** The task's id, or the title of the standard. */
  id?: string;
  /** Which attempt of a job it was. */
  trial?: string;
  /** sha256, with or without `sha256:` before the hex digits. */
  digests: {
    subject: string;
    submission: string;
    environment?: string;
    prompt?: string;
    transcript?: string;
    answers?: string;
  };
  cids?: { subject?: string; submission?: string };
  /** `name@version`. */
  verifier: string;
  /** `provider` is `none` where nothing was run. */
  sandbox: { provider: string; isolation: IsolationLevel; limits: LimitsLevel };
  scoring: ReceiptScoring;
  results: ReceiptResult[];
  /** Put only the root of the results into the receipt; whoever has the results can show any of them. Default false. */
  withhold?: boolean;
  verdict: {
    outcome: Outcome;
    reward: number | null;
    score?: number | null;
    components?: Record<string, number>;
    note?: string;
  };
  trust: Trust;
  startedAt: Date;
  finishedAt: Date;
}

/** The receipt of a verdict, not yet signed. `verifierDigest` is the digest of the code that reached it. */
export function makeReceipt(subject: ReceiptSubject, verifierDigest: string): Omit<Receipt, 'signer'> {
  const { kind, id, trial, cids, verdict, results } = subject;
  const sealed = sealResults(results);
  return {
    schema: 'assay/receipt@1',
    subject: { kind, id: id ? id.toWellFormed() : undefined, trial: trial ? trial.toWellFormed() : undefined },
    digests: prefixed(subject.digests),
    cids: cids && { ...cids },
    verifier: { name: subject.verifier.toWellFormed(), digest: verifierDigest },
    sandbox: { ...subject.sandbox },
    scoring: subject.scoring,
    results: subject.withhold === true ? withholdRecords(sealed) : sealed,
    verdict: {
      outcome: verdict.outcome,
      passed: verdict.outcome === 'pass',
      reward: verdict.reward,
      score: verdict.score,
      components: { ...verdict.components },
      note: verdict.note?.toWellFormed(),
    },
    trust: { level: subject.trust.level, reasons: subject.trust.reasons.map((reason) => reason.toWellFormed()) },
    repeatable: isRepeatable(results),
    startedAt: subject.startedAt.toISOString(),
    finishedAt: subject.finishedAt.toISOString(),
  };
}

/** `sha256:<hex>`, whether or not the prefix was there. */
export function prefixDigest(digest: string): string {
  return digest.startsWith('sha256:') ? digest : `sha256:${digest}`;
}

/** A digest that may be missing or empty. */
export const prefixGiven = (digest: string | undefined): string | undefined =>
  digest ? prefixDigest(digest) : undefined;

function prefixed({
  subject,
  submission,
  environment,
  prompt,
  transcript,
  answers,
}: ReceiptSubject['digests']): Receipt['digests'] {
  return {
    subject: prefixDigest(subject),
    submission: prefixDigest(submission),
    environment: prefixGiven(environment),
    prompt: prefixGiven(prompt),
    transcript: prefixGiven(transcript),
    answers: prefixGiven(answers),
  };
}
