import {
  AssayError,
  type ChecklistStandard,
  type CompositeStandard,
  MIN_PASS_SCORE,
  type ReceiptResult,
  type Standard,
} from '@assay/protocol';
import { sealResults } from '../receipts/receipt-results.ts';
import { resultsOfJudgement } from '../receipts/subject-of-judgement.ts';
import { judgeSubmission, type JudgeOptions } from './judge-submission.ts';

/**
 * The results of a submission by a standard as far as nobody has to be asked: cases, and items with a probe, under the
 * ids that they have in the whole. Throws `REJUDGE_FAILED` when the sandbox breaks, and what `judgeSubmission` throws.
 */
export async function rejudgeResults(
  standard: Standard,
  submission: Uint8Array,
  options: JudgeOptions,
): Promise<ReceiptResult[]> {
  if (isRepeatable(standard)) return judgeAgain(standard, submission, options);
  switch (standard.type) {
    case 'checklist':
      return rejudgeProbes(standard, submission, options);
    case 'composite':
      return rejudgeChildren(standard, submission, options);
    default:
      return [];
  }
}

async function judgeAgain(standard: Standard, submission: Uint8Array, options: JudgeOptions): Promise<ReceiptResult[]> {
  const { judgement } = await judgeSubmission(standard, submission, options);
  if (judgement.outcome === 'invalid')
    throw new AssayError('REJUDGE_FAILED', { detail: judgement.note ?? 'no reason' });
  return resultsOfJudgement(judgement);
}

function isRepeatable(standard: Standard): boolean {
  switch (standard.type) {
    case 'test_cases':
      return true;
    case 'judge_prompt':
      return false;
    case 'checklist':
      return standard.items.every(hasProbe);
    case 'composite':
      return standard.children.every((child) => isRepeatable(child.standard));
  }
}

const hasProbe = (item: ChecklistStandard['items'][number]): boolean =>
  typeof item !== 'string' && item.probe !== undefined;

async function rejudgeProbes(
  standard: ChecklistStandard,
  submission: Uint8Array,
  options: JudgeOptions,
): Promise<ReceiptResult[]> {
  const places = standard.items.flatMap((item, index) => (hasProbe(item) ? [index] : []));
  if (places.length === 0) return [];
  const probed = { ...standard, items: standard.items.filter(hasProbe) };
  const records = await judgeAgain(probed, submission, options);
  return records.map((record, index) => {
    const place = places[index];
    if (place === undefined) throw new AssayError('IMPOSSIBLE', { detail: 'more results than items' });
    return { ...record, id: `i${place + 1}` };
  });
}

/** A child gets no score when parts of it cannot be repeated: it would be mistaken for the real one. */
async function rejudgeChildren(
  standard: CompositeStandard,
  submission: Uint8Array,
  options: JudgeOptions,
): Promise<ReceiptResult[]> {
  const records: ReceiptResult[] = [];
  for (const [index, { weight, standard: child }] of standard.children.entries()) {
    const results = sealResults(await rejudgeResults(child, submission, options));
    records.push({
      kind: 'child',
      id: `child-${index + 1}`,
      weight,
      type: child.type,
      passScore: child.passScore ?? MIN_PASS_SCORE,
      outcome: 'invalid',
      score: null,
      results,
    });
  }
  return records;
}
