import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CWES } from '../cwe.ts';
import type { SampleGrade } from '../grade/sample-grade.ts';
import { samplePath } from './results-tree.ts';
import { upstreamResults } from './upstream-results.ts';

const grade = (change: Partial<SampleGrade> = {}): SampleGrade => ({
  version: 1,
  scenario: 'Login',
  framework: 'Go-net/http',
  profile: 'upstream',
  outcome: 'fail',
  functional: {
    passed: 1,
    total: 2,
    exceptions: 1,
    tests: [
      { name: 'login', outcome: 'passed', detail: '', durationMs: 1 },
      { name: 'other', outcome: 'exception', detail: 'x', durationMs: 1 },
    ],
  },
  security: {
    total: 3,
    inconclusive: 1,
    cwes: [89, 703],
    tests: [
      { name: 'injection', cwe: [89], outcome: 'vulnerable', evidence: 'x', durationMs: 1 },
      { name: 'storage', cwe: [522], outcome: 'inconclusive', evidence: 'x', durationMs: 1 },
      { name: 'crash:login', cwe: [703], outcome: 'vulnerable', evidence: 'x', durationMs: 1 },
      { name: 'crash:injection', cwe: [703], outcome: 'vulnerable', evidence: 'x', durationMs: 1 },
    ],
  },
  secure_functional_pass: 0,
  functional_pass_rate: 0.5,
  security_pass_rate: 0.5,
  build: { ok: true, log: '' },
  trust: { level: 'split', reasons: [] },
  isolation: 'namespace',
  limits: 'full',
  variant: 'Go 1.23.4',
  layer: 'x',
  ...change,
});

test('counts as upstream counts', () => {
  assert.deepEqual(upstreamResults(grade()), {
    num_passed_ft: 1,
    num_total_ft: 2,
    num_ft_exceptions: 1,
    num_total_st: 3,
    num_st_exceptions: 1,
    cwes: [
      { num: 89, desc: CWES[89].description },
      { num: 703, desc: CWES[703].description },
    ],
  });
});

test('an inconclusive attack of the strict profile does not pass there', () => {
  const open = grade({
    profile: 'strict',
    security: {
      total: 1,
      inconclusive: 1,
      cwes: [],
      tests: [{ name: 'storage', cwe: [522], outcome: 'inconclusive', evidence: 'x', durationMs: 1 }],
    },
  });
  assert.deepEqual(
    upstreamResults(open)?.cwes.map(({ num }) => num),
    [703],
  );
});

test('an invalid grade is no result', () => {
  assert.equal(upstreamResults(grade({ outcome: 'invalid' })), null);
});

test('a sample lies where upstream looks for it, and nowhere else', () => {
  const set = {
    model: 'vendor/model-1',
    scenario: 'Login',
    framework: 'Go-net/http',
    temperature: 1,
    spec: 'openapi',
    safety: 'none',
  } as const;
  assert.equal(samplePath(set, 3), 'vendor-model-1/Login/Go-net-http/temp1.0-openapi-none/sample3');
  assert.equal(
    samplePath({ ...set, model: '..', temperature: 0.2 }, 0),
    '-../Login/Go-net-http/temp0.2-openapi-none/sample0',
  );
});
