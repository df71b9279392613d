import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareIsolation, ISOLATION_LEVELS } from './isolation.ts';
import { IsolationLevel } from './verdict.ts';

test('levels of isolation are ordered, weakest first', () => {
  assert.deepEqual([...ISOLATION_LEVELS].reverse().sort(compareIsolation), ISOLATION_LEVELS);
  assert.ok(compareIsolation('wasm', 'namespace') < 0);
  assert.equal(compareIsolation('vm', 'vm'), 0);
});

test('a verdict names one of them', () => {
  for (const level of ISOLATION_LEVELS) assert.equal(IsolationLevel.parse(level), level);
  assert.throws(() => IsolationLevel.parse('container'));
});
