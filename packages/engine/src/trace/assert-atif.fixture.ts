import assert from 'node:assert/strict';
import type { Trajectory } from '@assay/protocol';

const ROOT = new Set([
  'schema_version',
  'session_id',
  'trajectory_id',
  'agent',
  'steps',
  'notes',
  'final_metrics',
  'continued_trajectory_ref',
  'extra',
  'subagent_trajectories',
]);
const STEP = new Set([
  'step_id',
  'timestamp',
  'source',
  'message',
  'model_name',
  'reasoning_effort',
  'reasoning_content',
  'tool_calls',
  'observation',
  'metrics',
  'is_copied_context',
  'llm_call_count',
  'extra',
]);
const OF_AGENTS = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];

/** Asserts the main rules of Harbor's validator, for machines that do not have it. */
export function assertAtif(trajectory: Trajectory): void {
  assertKeys(trajectory, ROOT);
  assert.ok(trajectory.steps.length > 0);
  for (const [index, step] of trajectory.steps.entries()) {
    assertKeys(step, STEP);
    assert.equal(step.step_id, index + 1);
    if (step.timestamp !== undefined) assert.ok(!Number.isNaN(Date.parse(step.timestamp)));
    if (step.source !== 'agent') for (const name of OF_AGENTS) assert.ok(!(name in step), `${name} of ${step.source}`);
    if (step.llm_call_count === 0) assert.ok(step.metrics === undefined && step.reasoning_content === undefined);
    const ids = step.tool_calls?.map((call) => call.tool_call_id) ?? [];
    assert.equal(new Set(ids).size, ids.length);
    for (const { source_call_id: id } of step.observation?.results ?? [])
      assert.ok(id === undefined || ids.includes(id), `result of ${id}`);
  }
  const embedded = trajectory.subagent_trajectories ?? [];
  assert.equal(new Set(embedded.map(({ trajectory_id: id }) => id ?? assert.fail('no id'))).size, embedded.length);
  for (const one of embedded) assertAtif(one);
}

function assertKeys(value: object, allowed: ReadonlySet<string>): void {
  for (const key of Object.keys(value)) assert.ok(allowed.has(key), key);
}
