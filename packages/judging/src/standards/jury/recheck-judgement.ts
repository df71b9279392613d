import { type Judgement, weightedFloor } from '@assay/protocol';
import { digestTranscript, type ModelRecord, scoresOfRecord } from './record.ts';

/**
 * Computes a judgement of a `judge_prompt` or a `checklist` again from its records, without asking a model, and lists
 * the differences. It shows that the score follows from the answers, not that the answers would come again. For a
 * composite, pass each child with its own records.
 */
export function recheckJudgement(judgement: Judgement, records: readonly ModelRecord[]): string[] {
  const problems: string[] = [];
  const transcript = judgement.digests['transcript'];
  if (transcript !== undefined && transcript !== digestTranscript(records.flatMap(({ exchanges }) => exchanges)))
    problems.push('the transcript is not that of the digest');
  const said = new Map<string, number>();
  for (const record of records) {
    if (record.samples.length === 0) continue;
    const scores = scoresOfRecord(record);
    if (scores === null) problems.push('the samples are not what the transcript says');
    for (const [id, score] of Object.entries(scores ?? {})) said.set(id, score);
  }
  const parts = judgement.results.flatMap(
    (result): { id: string; weight: number; score: number | null; isModel: boolean }[] => {
      if (result.kind === 'criterion')
        return [{ id: result.id, weight: result.weight, score: result.score, isModel: result.samples.length > 0 }];
      if (result.kind === 'item')
        return [
          {
            id: result.id,
            weight: result.weight,
            score: result.passed === null ? null : result.passed ? 100 : 0,
            isModel: result.by === 'model',
          },
        ];
      return [];
    },
  );
  for (const { id, score, isModel } of parts) {
    if (isModel && said.has(id) ? said.get(id) !== score : isModel && score !== null && score > 0)
      problems.push(`${id}: the record does not say ${score}`);
  }
  const isInvalid = parts.some(({ score }) => score === null);
  const score = isInvalid
    ? null
    : weightedFloor(parts.map((part) => ({ weight: part.weight, score: part.score ?? 0 })));
  if (score !== judgement.score) problems.push(`the score is ${score}, not ${judgement.score}`);
  const passed = score !== null && score >= judgement.passScore;
  if (passed !== judgement.passed || judgement.outcome !== (isInvalid ? 'invalid' : passed ? 'pass' : 'fail'))
    problems.push('the outcome does not follow from the score');
  return problems;
}
