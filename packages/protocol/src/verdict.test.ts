import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ItemFailure } from './failure.ts';
import { AgentStatus, Trial } from './job.ts';
import { Outcome, Verdict } from './verdict.ts';

const verdict = {
  outcome: 'pass',
  reward: 1,
  components: { f2p_rate: 1 },
  tests: [{ id: 'a', status: 'passed', durationMs: 1 }],
  trust: { level: 'split', reasons: [] },
  isolation: 'namespace',
  limits: 'full',
  verifier: 'pytest@1',
  digests: { task: 'a' },
};
const trial = {
  version: 1,
  id: 't.1',
  task: 't',
  agent: 'nop',
  attempt: 1,
  outcome: 'invalid',
  reward: null,
  trust: verdict.trust,
  isolation: 'gvisor',
  durationMs: 1,
  startedAt: '2026-01-01T00:00:00Z',
  agentRun: { exitCode: null, timedOut: false, durationMs: 1 },
};

test('a verdict is read as it was written', () => {
  assert.deepEqual(Verdict.parse(verdict), verdict);
  assert.deepEqual(Outcome.options, ['pass', 'fail', 'invalid']);
});

test('rewards beyond 0 and 1, unknown levels and negative times are refused', () => {
  const refused = [
    { reward: 1.1 },
    { reward: -0.1 },
    { reward: Number.NaN },
    { outcome: 'maybe' },
    { trust: { level: 'sure', reasons: [] } },
    { tests: [{ id: 'a', status: 'ok', durationMs: 1 }] },
    { tests: [{ id: 'a', status: 'passed', durationMs: -1 }] },
    { components: { rate: 'high' } },
  ];
  for (const change of refused)
    assert.equal(Verdict.safeParse({ ...verdict, ...change }).success, false, JSON.stringify(change));
});

test('a trial of an older version, without status, seal check and usage, is read', () => {
  assert.deepEqual(Trial.parse(trial), trial);
  for (const change of [{ version: 2 }, { attempt: 0 }, { outcome: 'error' }, { agentRun: {} }])
    assert.equal(Trial.safeParse({ ...trial, ...change }).success, false, JSON.stringify(change));
  assert.ok(AgentStatus.options.includes('could-not-work'));
});

test('a failure says of which kind it is, and how often it was tried', () => {
  const failure = { item: 't', outcome: 'excluded', kind: 'machine', code: 'EMFILE', message: 'x', tries: 1 };
  assert.deepEqual(ItemFailure.parse(failure), failure);
  for (const change of [{ tries: 0 }, { kind: 'other' }, { outcome: 'passed' }])
    assert.equal(ItemFailure.safeParse({ ...failure, ...change }).success, false);
});
