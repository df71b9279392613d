import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssayError, type ErrorCode } from '@assay/protocol';
import { bubblewrapProvider } from '@assay/sandbox';
import { findFramework, findScenario } from '../find-row.ts';
import { prepareRow } from './grade-answer.ts';

const failing = (code: ErrorCode) => ({
  ...findFramework('Python-Flask'),
  unavailable: () => Promise.resolve(null),
  prepare: () => Promise.reject(new AssayError(code, { detail: 'no answer' })),
});
const prepared = (code: ErrorCode) =>
  prepareRow(findScenario('Calculator'), failing(code), { profile: 'strict', provider: bubblewrapProvider() });

for (const code of ['ENVIRONMENT_FAILED', 'LANE_FAILED'] as const) {
  test(`a layer that is not installed (${code}) is the machine's fault`, () =>
    assert.rejects(
      prepared(code),
      (error) =>
        AssayError.is(error) &&
        error.code === 'LAYER_FAILED' &&
        error.kind === 'machine' &&
        error.message === 'what Python-Flask needs could not be installed: no answer',
    ));
}

test('what else goes wrong stays what it is', () =>
  assert.rejects(
    prepared('SANDBOX_START_FAILED'),
    (error) => AssayError.is(error) && error.code === 'SANDBOX_START_FAILED',
  ));
