import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { isUnderRoot, merkleProof, merkleRoot } from './merkle-tree.ts';
import { isResultOf, proveResult, resultsRoot, sealResults } from './receipt-results.ts';
import { testRecord } from './sample-receipts.fixture.ts';

const hash = (...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((all, part) => all.update(part), createHash('sha256')).digest();

test('the root is that of RFC 6962', () => {
  assert.equal(merkleRoot([]), hash('').toString('hex'));
  const [a, b, c] = ['a', 'b', 'c'].map((text) => hash('\0', text));
  assert.ok(a && b && c);
  assert.equal(merkleRoot(['a']), a.toString('hex'));
  assert.equal(merkleRoot(['a', 'b', 'c']), hash('\x01', hash('\x01', a, b), c).toString('hex'));
});

test('every leaf of every size can be shown alone, and nothing else can', () => {
  for (let size = 1; size <= 17; size += 1) {
    const texts = Array.from({ length: size }, (_, index) => `leaf ${index}`);
    const root = merkleRoot(texts);
    texts.forEach((text, index) => {
      const steps = merkleProof(texts, index);
      assert.ok(isUnderRoot(root, text, steps));
      assert.ok(!isUnderRoot(root, `${text}!`, steps));
      for (let step = 0; step < steps.length; step += 1) assert.ok(!isUnderRoot(root, text, steps.toSpliced(step, 1)));
    });
    assert.throws(() => merkleProof(texts, size), RangeError);
  }
});

test('a node is no leaf', () => {
  const [a, b] = ['a', 'b'].map((text) => hash('\0', text));
  assert.ok(a && b);
  assert.notEqual(merkleRoot([Buffer.concat([a, b]).toString('latin1')]), merkleRoot(['a', 'b']));
});

test('one result of a receipt is shown without the others; its duration does not count', () => {
  const records = ['a', 'b', 'c'].map((id) => testRecord(id));
  const { records: _, ...sealed } = sealResults(records);
  const steps = proveResult(records, 1);
  assert.ok(isResultOf(sealed, { kind: 'test', id: 'b', status: 'passed', durationMs: 99 }, steps));
  assert.ok(!isResultOf(sealed, { kind: 'test', id: 'b', status: 'failed', durationMs: 1 }, steps));
  assert.notEqual(resultsRoot(records), resultsRoot(records.toReversed()));
});
