import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedTrial, TrajectoryStep } from '@assay/protocol';
import { foldText } from './fold-text.ts';
import { renderTrial } from './render-trial.ts';
import { describeTerminal } from './terminal.ts';

const PLAIN = describeTerminal({}, {});
const EVIL = '\u001b]0;owned\u0007\u001b[2Jtask\r\n\u202e\u009b31m';
const LONG = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');

const step = (step_id: number, more: Partial<TrajectoryStep>): TrajectoryStep => ({
  step_id,
  source: 'user',
  message: EVIL,
  ...more,
});
const recorded: RecordedTrial = {
  directory: '/job/trials/t.1',
  trial: {
    version: 1,
    id: EVIL,
    task: EVIL,
    agent: EVIL,
    agentVersion: EVIL,
    attempt: 1,
    outcome: 'fail',
    reward: 0,
    trust: { level: 'in-process', reasons: [EVIL] },
    isolation: 'gvisor',
    durationMs: 1,
    startedAt: '',
    agentRun: { exitCode: 0, timedOut: false, durationMs: 1 },
    note: EVIL,
  },
  verdict: {
    outcome: 'fail',
    reward: 0,
    components: {},
    tests: [{ id: EVIL, status: 'failed', durationMs: 1 }],
    trust: { level: 'in-process', reasons: [EVIL] },
    isolation: 'gvisor',
    limits: 'full',
    verifier: 'v',
    digests: {},
    note: EVIL,
  },
  submission: {
    files: [{ path: EVIL, executable: true, size: 1 }],
    deleted: [EVIL],
    dropped: [{ path: EVIL, reason: EVIL }],
  },
  log: EVIL + LONG,
  trajectory: {
    schema_version: 'ATIF-v1.7',
    agent: { name: EVIL, version: EVIL, model_name: EVIL },
    notes: EVIL,
    steps: [
      step(1, { source: 'system' }),
      step(2, {
        source: 'agent',
        reasoning_content: EVIL,
        tool_calls: [
          { tool_call_id: 'a', function_name: EVIL, arguments: { command: EVIL } },
          { tool_call_id: 'b', function_name: EVIL, arguments: { [EVIL]: EVIL } },
        ],
        observation: { results: [{ source_call_id: 'a', content: EVIL + LONG }, { content: EVIL }] },
      }),
      step(3, { source: 'system', message: `The lane refused: ${EVIL}`, extra: { event: 'refused', times: 12 } }),
    ],
    subagent_trajectories: [
      {
        schema_version: 'ATIF-v1.7',
        trajectory_id: EVIL,
        agent: { name: '', version: '' },
        steps: [step(1, {})],
        extra: { side_request: true, after_step: 2 },
      },
    ],
    final_metrics: {
      total_prompt_tokens: 1,
      total_completion_tokens: 2,
      total_cached_tokens: 0,
      total_steps: 3,
      extra: { requests: 3 },
    },
  },
};

describe('a transcript', () => {
  test('holds no character that a terminal obeys, folded or not, with a model or without', () => {
    for (const full of [true, false]) {
      for (const trajectory of [recorded.trajectory, null]) {
        const text = renderTrial({ ...recorded, trajectory }, { full }, PLAIN);
        assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        assert.ok(text.includes('task'));
      }
    }
  });

  test('folds the middle of a long result and says how much; --full folds nothing', () => {
    const folded = renderTrial(recorded, { full: false }, PLAIN);
    assert.match(folded, /│ … 8\d lines …/);
    assert.ok(!folded.includes('line 50') && folded.includes('line 99'));
    assert.ok(renderTrial(recorded, { full: true }, PLAIN).includes('line 50'));
  });

  test('tells results under their calls, events, and side requests where they began', () => {
    const text = renderTrial(recorded, { full: false }, PLAIN);
    const order = ['$ ', '│ line 99', 'beside the conversation', '12 times', 'submission: 1 changed', 'verdict'].map(
      (part) => text.indexOf(part),
    );
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    assert.ok(!order.includes(-1), String(order));
  });

  test('an empty text has no line, one hidden line is not folded, and a long line is cut', () => {
    assert.deepEqual(foldText(' \n', null), []);
    assert.deepEqual(foldText('a\nb\nc', { head: 1, tail: 1 }), ['a', 'b', 'c']);
    assert.deepEqual(foldText('a\nb\nc\nd', { head: 1, tail: 1 }), ['a', '… 2 lines …', 'd']);
    assert.match(foldText('x'.repeat(3000), { head: 1, tail: 1 })[0] ?? '', /x … 2000 characters …$/);
  });
});
