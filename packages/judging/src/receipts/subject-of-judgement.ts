import { AssayError, type Judgement, type ReceiptResult, type ResultJudgement } from '@assay/protocol';
import { prefixGiven, type ReceiptSubject } from './make-receipt.ts';
import { sealResults } from './receipt-results.ts';

/** Facts for a receipt that a judgement does not contain. */
export interface JudgementContext {
  /** Title of the standard. */
  id?: string;
  cids?: { subject?: string; submission?: string };
  /** Name of the sandbox provider, or `none` where nothing was run. */
  provider: string;
  /** Put only the root of the results into the receipt. */
  withhold?: boolean;
  startedAt: Date;
  finishedAt: Date;
}

/** The judgement by a standard, as receipts take it: without what was expected and what came. */
export function subjectOfJudgement(judgement: Judgement, context: JudgementContext): ReceiptSubject {
  const { standard, submission, prompt, transcript, answers } = judgement.digests;
  if (!standard || !submission)
    throw new AssayError('IMPOSSIBLE', { detail: 'a judgement without the digests of its standard and submission' });
  const { provider, ...rest } = context;
  return {
    ...rest,
    kind: 'standard',
    digests: { subject: standard, submission, prompt, transcript, answers },
    verifier: judgement.verifier,
    sandbox: { provider, isolation: judgement.isolation, limits: judgement.limits },
    scoring: { rule: 'weighted-mean', rounding: 'floor', type: judgement.type, passScore: judgement.passScore },
    results: resultsOfJudgement(judgement),
    verdict: {
      outcome: judgement.outcome,
      reward: judgement.score === null ? null : judgement.score / 100,
      score: judgement.score,
      note: judgement.note,
    },
    trust: judgement.trust,
  };
}

export function resultsOfJudgement({ results }: Judgement): ReceiptResult[] {
  return results.map(recordOf);
}

function recordOf(result: ResultJudgement): ReceiptResult {
  const id = result.id.toWellFormed();
  switch (result.kind) {
    case 'case':
      return { kind: 'case', id, passed: result.passed, weight: result.weight, durationMs: result.durationMs };
    case 'criterion':
      return {
        kind: 'criterion',
        id,
        weight: result.weight,
        score: result.score,
        samples: [...result.samples],
        reasons: result.reasons.map((reason) => reason.toWellFormed()),
      };
    case 'item':
      return {
        kind: 'item',
        id,
        weight: result.weight,
        passed: result.passed,
        by: result.by,
        evidence: result.evidence.toWellFormed(),
      };
    case 'child': {
      const {
        type,
        passScore,
        outcome,
        score,
        digests: { prompt, transcript },
      } = result.judgement;
      return {
        kind: 'child',
        id,
        weight: result.weight,
        type,
        passScore,
        outcome,
        score,
        prompt: prefixGiven(prompt),
        transcript: prefixGiven(transcript),
        results: sealResults(resultsOfJudgement(result.judgement)),
      };
    }
  }
}
