import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EnvironmentSpec, TaskToml, TestCommand } from './task.ts';

const toml = {
  schema_version: '1.4',
  task: { name: 'assay/sample' },
  agent: { timeout_sec: 60 },
  verifier: { timeout_sec: 60 },
  metadata: {
    assay: {
      version: 1,
      kind: 'standard',
      pipeline: 'standard',
      source: 'a file',
      digest: `sha256:${'0'.repeat(64)}`,
      standard: { type: 'test_cases', digest: '0'.repeat(64) },
      answer: 'solution.js',
    },
  },
};

test('control: a task as it should be', () => {
  assert.ok(TaskToml.safeParse(toml).success);
});

test('what would break a trial after the agent has worked is refused when the task is opened', () => {
  const named = (name: string) => TaskToml.safeParse({ ...toml, task: { name } }).success;
  assert.ok(named(`assay/${'a'.repeat(190)}`));
  assert.ok(!named(`assay/${'a'.repeat(5000)}`));
  for (const timeout_sec of [1e300, 1e10, 0, -1])
    for (const table of ['agent', 'verifier'])
      assert.ok(!TaskToml.safeParse({ ...toml, [table]: { timeout_sec } }).success, `${table} ${timeout_sec}`);
  assert.ok(!TestCommand.safeParse({ ecosystem: 'node', runner: 'mocha', timeoutSec: 1e300 }).success);
  assert.ok(!EnvironmentSpec.shape.digest.safeParse('not hex').success);
});
