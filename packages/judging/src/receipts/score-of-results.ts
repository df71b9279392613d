import { weightedFloor, type ReceiptResult } from '@assay/protocol';

/**
 * The score of a standard, 0 to 100, from what was answered alone: recorded scores of criteria and children are
 * computed again, not believed. Null when an answer is missing, and when there is nothing to score.
 */
export function scoreOfResults(records: readonly ReceiptResult[]): number | null {
  if (records.length === 0) return null;
  const parts: { weight: number; score: number }[] = [];
  for (const record of records) {
    const score = scoreOf(record);
    if (score === null) return null;
    parts.push({ weight: weightOf(record), score });
  }
  return weightedFloor(parts);
}

/**
 * The lower middle, so that nothing is rounded up. 0 of none: a submission that says nothing is not put before a model.
 */
export function medianScore(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

function weightOf(record: ReceiptResult): number {
  return record.kind === 'test' ? 1 : record.weight;
}

function scoreOf(record: ReceiptResult): number | null {
  switch (record.kind) {
    case 'test':
      return record.status === 'passed' ? 100 : 0;
    case 'case':
      return record.passed ? 100 : 0;
    case 'item':
      return record.passed === null ? null : record.passed ? 100 : 0;
    case 'criterion':
      return record.score === null ? null : medianScore(record.samples);
    case 'child':
      return record.outcome === 'invalid'
        ? null
        : record.results.records === undefined
          ? record.score
          : scoreOfResults(record.results.records);
  }
}
