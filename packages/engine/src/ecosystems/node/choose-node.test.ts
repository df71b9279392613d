import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssayError } from '@assay/protocol';
import { chooseNodeMajor } from './choose-node.ts';

const choose = (pinned: number | null, engines: string, t0: string): number =>
  chooseNodeMajor({ pinned, engines }, new Date(t0));

test('chooseNodeMajor takes what was long-term support at T0', () => {
  assert.equal(choose(null, '', '2022-12-01'), 18);
  assert.equal(choose(null, '', '2024-06-01'), 20);
  assert.equal(choose(null, '>=18', '2026-08-01'), 24);
});

test('chooseNodeMajor heeds pins and engines, and never goes below what the runners need', () => {
  assert.equal(choose(22, '', '2023-01-01'), 22);
  assert.equal(choose(21, '', '2024-01-01'), 22);
  assert.equal(choose(12, '', '2020-01-01'), 18);
  assert.equal(choose(null, '', '2017-01-01'), 18);
  assert.equal(choose(null, '^18.0.0 || ^20.0.0', '2026-01-01'), 20);
  assert.equal(choose(null, '>=22', '2023-01-01'), 22);
  assert.throws(
    () => choose(null, '<17', '2023-01-01'),
    (error) => AssayError.is(error) && error.code === 'INTERPRETER_MISSING',
  );
});
