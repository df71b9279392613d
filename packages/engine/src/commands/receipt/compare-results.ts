import type { LeafRecord, ReceiptResult, ReceiptResults, ResultDifference } from '@assay/protocol';
import { isRepeatable, leavesOf, resultsRoot } from '@assay/judging/receipts/receipt-results';

/** How many results were compared one by one, how many could not be, and where they differ. */
export interface Comparison {
  compared: number;
  notRepeatable: number;
  differences: ResultDifference[];
}

/** Compares what can be repeated. Where records are withheld, their root is compared instead. */
export function compareResults(recorded: ReceiptResults, now: readonly ReceiptResult[]): Comparison {
  if (recorded.records === undefined) {
    const root = resultsRoot(now);
    return {
      compared: now.length,
      notRepeatable: 0,
      differences: root === recorded.root ? [] : [{ id: '(root of all results)', recorded: recorded.root, now: root }],
    };
  }
  const before = leavesOf(recorded.records);
  const after = leavesOf(now);
  const repeatable = [...before].filter(([, leaf]) => isRepeatable([leaf]));
  const differences = repeatable.flatMap(([id, leaf]) => {
    const again = after.get(id);
    const [was, is] = [stateOf(leaf), again === undefined ? 'nothing' : stateOf(again)];
    return was === is ? [] : [{ id, recorded: was, now: is }];
  });
  const added = [...after]
    .filter(([id, leaf]) => !before.has(id) && isRepeatable([leaf]))
    .map(([id, leaf]) => ({ id, recorded: 'nothing', now: stateOf(leaf) }));
  return {
    compared: repeatable.length,
    notRepeatable: before.size - repeatable.length,
    differences: [...differences, ...added],
  };
}

function stateOf(leaf: LeafRecord): string {
  switch (leaf.kind) {
    case 'test':
      return leaf.status;
    case 'case':
      return leaf.passed ? 'passed' : 'failed';
    case 'item':
      return leaf.passed === null ? 'unanswered' : leaf.passed ? 'passed' : 'failed';
    case 'criterion':
      return String(leaf.score);
  }
}
