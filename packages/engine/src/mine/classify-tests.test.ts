import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestStatus } from '@assay/protocol';
import { classifyTests } from './classify-tests.ts';

const run = (statuses: Record<string, TestStatus>): Map<string, TestStatus> => new Map(Object.entries(statuses));

test('tells fail to pass from pass to pass', () => {
  const found = classifyTests({
    own: [run({ old: 'passed' })],
    newTests: [run({ old: 'passed', fixed: 'failed', broken: 'failed' })],
    fixed: [run({ old: 'passed', fixed: 'passed', broken: 'failed', skipped: 'skipped' })],
  });
  assert.deepEqual(found, { failToPass: ['fixed'], passToPass: ['old'], quarantined: [] });
});

test('a file that cannot be loaded before the fix does not turn its old tests into fail to pass', () => {
  const found = classifyTests({
    own: [run({ old: 'passed' })],
    newTests: [run({})],
    fixed: [run({ old: 'passed', added: 'passed' })],
  });
  assert.deepEqual(found, { failToPass: ['added'], passToPass: ['old'], quarantined: [] });
});

test('an old test whose new body fails at T0 is fail to pass', () => {
  const found = classifyTests({
    own: [run({ a: 'passed' })],
    newTests: [run({ a: 'failed' })],
    fixed: [run({ a: 'passed' })],
  });
  assert.deepEqual(found.failToPass, ['a']);
});

test('a test that changes its answer in any tree counts nowhere', () => {
  for (const tree of ['own', 'newTests', 'fixed'] as const) {
    const runs = {
      own: [run({ a: 'passed' }), run({ a: 'passed' })],
      newTests: [run({ a: 'failed' }), run({ a: 'failed' })],
      fixed: [run({ a: 'passed' }), run({ a: 'passed' })],
    };
    assert.deepEqual(classifyTests(runs).failToPass, ['a']);
    runs[tree][1] = run({ a: tree === 'newTests' ? 'passed' : 'failed' });
    assert.deepEqual(classifyTests(runs), { failToPass: [], passToPass: [], quarantined: ['a'] });
  }
});

test('two ways of failing before the fix are no flakiness', () => {
  const found = classifyTests({
    own: [run({})],
    newTests: [run({ a: 'failed' }), run({ a: 'error' })],
    fixed: [run({ a: 'passed' })],
  });
  assert.deepEqual(found.failToPass, ['a']);
});
