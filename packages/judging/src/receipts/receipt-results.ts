import { canonicalJson, type ReceiptResult, type ReceiptResults } from '@assay/protocol';
import { merkleProof, merkleRoot, type MerkleStep, isUnderRoot } from './merkle-tree.ts';

/** Records under their root. */
export function sealResults(records: readonly ReceiptResult[]): ReceiptResults {
  return { count: records.length, root: resultsRoot(records), records: [...records] };
}

/** `sha256:` and the root of the Merkle tree over the records, in their order. */
export function resultsRoot(records: readonly ReceiptResult[]): string {
  return `sha256:${merkleRoot(records.map(leafText))}`;
}

/** The steps that show one record without the others. */
export function proveResult(records: readonly ReceiptResult[], index: number): MerkleStep[] {
  return merkleProof(records.map(leafText), index);
}

/** Whether the record is among those of a receipt. */
export function isResultOf(results: ReceiptResults, record: ReceiptResult, steps: readonly MerkleStep[]): boolean {
  return isUnderRoot(results.root.replace(/^sha256:/, ''), leafText(record), steps);
}

/** The results without any record. A child keeps the root of its own. */
export function withholdRecords({ count, root }: ReceiptResults): ReceiptResults {
  return { count, root };
}

/** Whether all of it comes out the same when it is run again: no model and no person answered. */
export function isRepeatable(records: readonly ReceiptResult[]): boolean {
  return records.every((record) => {
    switch (record.kind) {
      case 'test':
      case 'case':
        return true;
      case 'criterion':
        return false;
      case 'item':
        return record.by === 'probe';
      case 'child':
        return isRepeatable(record.results.records ?? []);
    }
  });
}

/** Every leaf with a path of ids that names it in the whole tree, such as `child-2/case-1`. */
export function leavesOf(
  records: readonly ReceiptResult[],
  above = '',
): Map<string, Exclude<ReceiptResult, { kind: 'child' }>> {
  const leaves = new Map<string, Exclude<ReceiptResult, { kind: 'child' }>>();
  for (const record of records) {
    const path = `${above}${record.id}`;
    if (record.kind !== 'child') leaves.set(path, record);
    else for (const [below, leaf] of leavesOf(record.results.records ?? [], `${path}/`)) leaves.set(below, leaf);
  }
  return leaves;
}

/**
 * Durations are left out, so that who runs the tests again gets the same root. A child stands with the root of its own
 * results, not with them, so that each level can be shown alone.
 */
function leafText(record: ReceiptResult): string {
  if (record.kind === 'child') return canonicalJson({ ...record, results: withholdRecords(record.results) });
  return canonicalJson({ ...record, durationMs: undefined });
}
