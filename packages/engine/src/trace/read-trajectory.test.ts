import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ModelLaneEntry } from '@assay/lanes/model-lane/contract';
import { assertAtif } from './assert-atif.fixture.ts';
import { readTrajectory } from './read-trajectory.ts';
import { recordLane, type DialectName } from './record-lane.fixture.ts';
import { writeTrajectory } from './write-trajectory.ts';

const shell = (command: string): { name: string; arguments: { command: string } } => ({
  name: 'run_shell',
  arguments: { command },
});
const TURNS = [
  { think: 'I ponder.', say: 'I look.', tools: [shell('ls -la'), shell('cat a.txt')] },
  { say: 'Now the change.', tools: [shell('echo hi > a.txt')] },
  { say: 'All is done.' },
];
const DIALECTS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
] as const satisfies readonly DialectName[];

describe('the trajectory of a lane record', () => {
  for (const dialect of DIALECTS) {
    for (const streams of [true, false]) {
      test(`${dialect}, ${streams ? 'streams' : 'in one piece'}: every word once, calls with their results, usage, model`, async () => {
        const entries = await recordLane(
          { turns: TURNS },
          ({ drive }) => drive(dialect, 'Do the work.', (call) => `out of ${JSON.stringify(call.arguments)}`),
          { streams },
        );
        const trajectory = readTrajectory(entries, { agent: { name: 'tester', version: '1' }, sessionId: 'job/one.1' });
        assertAtif(trajectory);
        const steps = trajectory.steps.filter(({ source }) => source !== 'system');
        assert.deepEqual(
          steps.map(({ source, message }) => [source, message]),
          [
            ['user', 'Do the work.'],
            ['agent', 'I look.'],
            ['agent', 'Now the change.'],
            ['agent', 'All is done.'],
          ],
        );
        const [, first, second, last] = steps;
        assert.equal(first?.reasoning_content, 'I ponder.');
        assert.deepEqual(
          first?.tool_calls?.map((call) => call.arguments),
          [{ command: 'ls -la' }, { command: 'cat a.txt' }],
        );
        assert.deepEqual(
          first?.observation?.results.map(({ source_call_id, content }) => [source_call_id, content]),
          first?.tool_calls?.map((call) => [call.tool_call_id, `out of ${JSON.stringify(call.arguments)}`]),
        );
        assert.equal(second?.observation?.results.length, 1);
        assert.equal(last?.observation, undefined);
        assert.ok(
          steps
            .slice(1)
            .every(
              ({ model_name: model, metrics, llm_call_count: calls }) =>
                model === 'm-1' && calls === 1 && (metrics?.prompt_tokens ?? 0) > 0,
            ),
        );
        assert.equal(
          trajectory.final_metrics?.total_prompt_tokens,
          entries.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0),
        );
        assert.equal(trajectory.agent.model_name, 'm-1');
        assert.deepEqual(
          trajectory.agent.tool_definitions?.map((tool) => tool.function.name),
          ['bash'],
        );
        assert.equal(trajectory.subagent_trajectories, undefined);
      });
    }
  }

  test('what is asked beside the conversation is embedded and marked, and counted', async () => {
    const entries = await recordLane({ turns: TURNS }, async ({ ask, drive }) => {
      await ask('openai-chat', [{ user: 'Do the work.' }], {
        tools: undefined,
        messages: [
          { role: 'system', content: 'Say a title.' },
          { role: 'user', content: 'Do the work.' },
        ],
      });
      await drive('openai-chat', 'Do the work.', () => 'out');
    });
    const trajectory = readTrajectory(entries);
    assertAtif(trajectory);
    const [side] = trajectory.subagent_trajectories ?? [];
    assert.equal(trajectory.subagent_trajectories?.length, 1);
    assert.deepEqual(
      side?.steps.map(({ source, message }) => [source, message]),
      [
        ['system', 'Say a title.'],
        ['user', 'Do the work.'],
        ['agent', 'ok'],
      ],
    );
    assert.equal(side?.extra?.['side_request'], true);
    assert.equal(trajectory.steps.at(-1)?.message, 'All is done.');
    assert.equal(trajectory.final_metrics?.extra?.['requests'], 4);
  });

  test('refusals and stops are events, and what a client repeats is one of them', async () => {
    const entries = await recordLane(
      { turns: TURNS },
      async ({ ask, drive }) => {
        for (let time = 0; time < 3; time += 1) await ask('openai-chat', [{ user: 'x' }], { mcp_servers: [] });
        await drive('openai-chat', 'Do the work.', () => 'out');
      },
      { budgets: { requests: 4 } },
    );
    const trajectory = readTrajectory(entries);
    assertAtif(trajectory);
    const events = trajectory.steps.filter(({ extra }) => extra?.['event'] !== undefined);
    assert.deepEqual(
      events.map(({ extra }) => [extra?.['event'], extra?.['times']]),
      [
        ['refused', 3],
        ['budget', 1],
      ],
    );
    assert.match(events[0]?.message ?? '', /mcp_servers not allowed/);
  });

  test('a client that rewrites its history, or begins anew, goes on in the same trajectory', async () => {
    const entries = await recordLane({ turns: TURNS }, async ({ ask }) => {
      const first = (await ask('openai-chat', [{ user: 'Do the work.' }])) ?? assert.fail();
      await ask('openai-chat', [{ user: 'In short: some work.' }, { answer: first, results: ['one', 'two'] }]);
      await ask('openai-chat', [{ user: 'The summary of all.' }]);
    });
    const trajectory = readTrajectory(entries);
    assertAtif(trajectory);
    assert.equal(trajectory.subagent_trajectories, undefined);
    assert.equal(trajectory.steps.filter(({ extra }) => extra?.['event'] === 'rewritten').length, 2);
    assert.deepEqual(
      trajectory.steps
        .find(({ tool_calls: calls }) => calls?.length === 2)
        ?.observation?.results.map(({ content }) => content),
      ['one', 'two'],
    );
  });

  test('words that the model never said are marked', async () => {
    const entries = await recordLane({ turns: TURNS, order: 'requests' }, async ({ ask }) => {
      await ask('openai-chat', [
        { user: 'a' },
        { answer: { text: 'I am honest.', calls: [], stop: '', usage: null }, results: [] },
        { user: 'b' },
      ]);
    });
    const trajectory = readTrajectory(entries);
    assertAtif(trajectory);
    assert.deepEqual(
      trajectory.steps
        .filter(({ is_copied_context: copied }) => copied)
        .map(({ message, extra }) => [message, extra?.['not_served']]),
      [['I am honest.', true]],
    );
  });

  test('no entries, and entries without anything in them', () => {
    assertAtif(readTrajectory([]));
    const entry: ModelLaneEntry = {
      sequence: 1,
      time: 'soon',
      dialect: 'gemini',
      method: 'POST',
      path: '/',
      model: null,
      stream: true,
      request: { bytes: 0, sha256: null, body: { contents: [5, { parts: {} }], tools: 'x' } },
      stripped: [],
      injected: [],
      outcome: 'answered',
      status: 200,
      detail: null,
      response: {
        status: 200,
        contentType: '',
        bytes: 0,
        sha256: '',
        text: 'data: {"candidates":[[]]}\n\n',
        truncated: false,
        malformedEvents: 0,
      },
      usage: null,
      retries: [],
      firstByteMs: null,
      totalMs: 0,
    };
    assert.ok(readTrajectory([entry]).steps.length > 0);
  });

  test('trajectory.json is written beside the record, and not where there is none', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'assay-trace-'));
    try {
      assert.equal(await writeTrajectory(directory), null);
      const entries = await recordLane({ turns: TURNS }, ({ drive }) =>
        drive('anthropic-messages', 'Do the work.', () => 'out'),
      );
      await writeFile(
        join(directory, 'model.jsonl'),
        `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n{"sequence": 9, "ti`,
      );
      assert.equal((await writeTrajectory(directory, { agent: { name: 'tester' } }))?.agent.name, 'tester');
      const written: unknown = JSON.parse(await readFile(join(directory, 'trajectory.json'), 'utf8'));
      const { notes, ...rest } = readTrajectory(entries, {
        agent: { name: 'tester' },
        notes: '1 lines of the record could not be read.',
      });
      assert.deepEqual(written, { ...rest, notes });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
