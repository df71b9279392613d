import { createHash } from 'node:crypto';

// Leaves and nodes are hashed apart (RFC 6962), so that no node can be passed off as a leaf.
const LEAF = Buffer.from([0]);
const NODE = Buffer.from([1]);

/** One step from a leaf to the root: the hash beside it, and on which side that stands. */
export interface MerkleStep {
  side: 'left' | 'right';
  hash: string;
}

/** Root of the RFC 6962 tree over texts, as sha256 hex. Of none: the hash of nothing. */
export function merkleRoot(texts: readonly string[]): string {
  return rootOf(texts.map(leafHash)).toString('hex');
}

/** Proves that one text stands at `index` under the root, without the others. Throws RangeError for a bad index. */
export function merkleProof(texts: readonly string[], index: number): MerkleStep[] {
  if (!Number.isInteger(index) || index < 0 || index >= texts.length)
    throw new RangeError(`no leaf ${index} of ${texts.length}`);
  return proofOf(texts.map(leafHash), index);
}

/** Whether the steps lead from the text to the root. */
export function isUnderRoot(root: string, text: string, steps: readonly MerkleStep[]): boolean {
  const end = steps.reduce((hash, { side, hash: other }) => {
    const beside = Buffer.from(other, 'hex');
    return side === 'left' ? nodeHash(beside, hash) : nodeHash(hash, beside);
  }, leafHash(text));
  return end.toString('hex') === root;
}

function rootOf(hashes: readonly Buffer[]): Buffer {
  const [only] = hashes;
  if (only === undefined) return createHash('sha256').digest();
  if (hashes.length === 1) return only;
  const half = leftSize(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, half)), rootOf(hashes.slice(half)));
}

function proofOf(hashes: readonly Buffer[], index: number): MerkleStep[] {
  if (hashes.length === 1) return [];
  const half = leftSize(hashes.length);
  const [left, right] = [hashes.slice(0, half), hashes.slice(half)];
  if (index < half) return [...proofOf(left, index), { side: 'right', hash: rootOf(right).toString('hex') }];
  return [...proofOf(right, index - half), { side: 'left', hash: rootOf(left).toString('hex') }];
}

/** The largest power of two below the count. */
function leftSize(count: number): number {
  let size = 1;
  while (size * 2 < count) size *= 2;
  return size;
}

function leafHash(text: string): Buffer {
  return createHash('sha256').update(LEAF).update(text, 'utf8').digest();
}

function nodeHash(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}
