import assert from 'node:assert/strict';
import http from 'node:http';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelLaneOptions } from './contract.ts';
import { ASK, chatAnswer, openLane, ScriptedUpstream, sse, type OpenLane } from './testing/scripted-upstream.ts';

/** Every answer costs 1000 tokens of input and 500 of output. A budget of 3000 pays for two. */
const BUDGETS: Record<string, Partial<ModelLaneOptions>> = {
  tokens: { budgets: { totalTokens: 3000 } },
  'output tokens': { budgets: { outputTokens: 1000 } },
  'US dollars': {
    budgets: { usd: 3 },
    prices: {
      'm-1': { inputPerMillion: 1000, outputPerMillion: 1000 },
      'm-2': { inputPerMillion: 0, outputPerMillion: 0 },
    },
  },
};
const CHAT_USAGE = { prompt_tokens: 1000, completion_tokens: 500 };
/** A stream in three parts: something said, the end of what is said, and what it cost. */
const STREAMS: Record<keyof typeof ASK, [object[], object[], object[]]> = {
  chat: [
    [{ choices: [{ delta: { content: 'said' } }] }],
    [{ choices: [{ delta: {}, finish_reason: 'stop' }], end: 'ended' }],
    [{ choices: [], usage: CHAT_USAGE }],
  ],
  responses: [
    [{ type: 'response.output_text.delta', delta: 'said' }],
    [{ type: 'response.output_item.done', item: { type: 'message', content: [] }, end: 'ended' }],
    [{ type: 'response.completed', response: { usage: { input_tokens: 1000, output_tokens: 500 } } }],
  ],
  messages: [
    [
      { type: 'message_start', message: { usage: { input_tokens: 1000, output_tokens: 1 } } },
      { type: 'content_block_delta', delta: { text: 'said' } },
    ],
    [{ type: 'content_block_stop', end: 'ended' }],
    [
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 500 } },
      { type: 'message_stop' },
    ],
  ],
  gemini: [
    [{ candidates: [{ content: { parts: [{ text: 'said' }] } }] }],
    [{ candidates: [{ finishReason: 'STOP' }], end: 'ended' }],
    [{ usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 500 } }],
  ],
};
const DIALECTS = ['chat', 'responses', 'messages', 'gemini'] as const;
const POINTS = ['before anything came', 'after the first words', 'after the end of what is said'] as const;
type Point = (typeof POINTS)[number];

/** Asks, and resets the connection at a point of the answer. Resolves when that is done, or the answer is refused. */
function askAndLeave(
  { port, lane }: OpenLane,
  name: keyof typeof ASK,
  point: Point,
  arrived: Promise<void>,
): Promise<void> {
  const [path, body] = ASK[name](name === 'gemini' ? {} : { stream: true });
  const { promise, resolve } = Promise.withResolvers<void>();
  const { token } = lane;
  const headers = {
    'content-type': 'application/json',
    'x-api-key': token,
    authorization: `Bearer ${token}`,
    'x-goog-api-key': token,
  };
  const request = http.request({ port, host: '127.0.0.1', path, method: 'POST', headers });
  const leave = (): void => {
    request.socket?.resetAndDestroy();
    resolve();
  };
  request.on('error', () => {});
  request.on('response', (response) => {
    let text = '';
    response.on('error', () => {});
    response.on('end', resolve);
    response.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes(point === 'after the first words' ? 'said' : 'ended')) leave();
    });
  });
  if (point === 'before anything came') void arrived.then(leave);
  request.end(JSON.stringify(body));
  return promise;
}

/** A lane to a service that tells what an answer costs once `told` resolves. */
async function laneTo(
  name: keyof typeof ASK,
  options: Partial<ModelLaneOptions>,
  told: (index: number) => Promise<void>,
): Promise<{ open: OpenLane; upstream: ScriptedUpstream; arrived: PromiseWithResolvers<void>[] }> {
  const arrived = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
  const [first, second, third] = STREAMS[name];
  const upstream = await ScriptedUpstream.start(async (_call, response, index) => {
    arrived[index]?.resolve();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(...first));
    response.write(sse(...second));
    await told(index);
    response.end(sse(...third));
  });
  const open = await openLane(upstream.origin, options);
  after(async () => {
    await open.lane.close();
    await upstream.stop();
  });
  return { open, upstream, arrived };
}

describe('a client that leaves pays for what it asked', () => {
  for (const [what, options] of Object.entries(BUDGETS)) {
    for (const name of DIALECTS) {
      test(`${name}, ${what}: of eight answers the service gives the two that are paid for`, async () => {
        for (const point of POINTS) {
          const left = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
          const { open, upstream, arrived } = await laneTo(name, options, async (index) => left[index]?.promise);
          for (let time = 0; time < 8; time += 1) {
            await askAndLeave(open, name, point, (arrived[time] ?? Promise.withResolvers<void>()).promise);
            left[time]?.resolve();
            if (time < 2) while (open.entries.length <= time) await sleep(1);
            // Requests that the lane refuses never arrive.
            if (upstream.calls.length === 2) arrived[time + 1]?.resolve();
          }
          while (open.entries.length < 8) await sleep(1);
          const { inputTokens, outputTokens } = open.lane.usage();
          assert.deepEqual([point, upstream.calls.length, inputTokens, outputTokens], [point, 2, 2000, 1000]);
          const outcomes = open.entries.map(({ outcome }) => outcome);
          assert.deepEqual(outcomes, [...Array(2).fill('client-gone'), ...Array(6).fill('budget')]);
        }
      });
    }
  }

  for (const name of DIALECTS) {
    test(`${name}: a service that never tells is paid what was set aside`, async () => {
      for (const point of POINTS) {
        const { open, upstream, arrived } = await laneTo(
          name,
          { ...BUDGETS['tokens'], policy: { readOnMs: 20 } },
          () => new Promise(() => {}),
        );
        for (let time = 0; time < 4; time += 1) {
          await askAndLeave(open, name, point, (arrived[time] ?? Promise.withResolvers<void>()).promise);
          arrived[time + 1]?.resolve();
          while (open.entries.length <= time) await sleep(1);
        }
        assert.equal(upstream.calls.length, 1, point);
        const { inputTokens, outputTokens } = open.lane.usage();
        assert.ok(inputTokens + outputTokens >= 3000, `${point}: ${inputTokens} + ${outputTokens}`);
        assert.equal(open.entries[0]?.usage?.estimated, true);
      }
    });
  }

  test('many at once, each left after its end, cost no more than there is', async () => {
    const left = Promise.withResolvers<void>();
    const { open, upstream, arrived } = await laneTo('chat', { budgets: { outputTokens: 20_000 } }, () => left.promise);
    const asked = Array.from({ length: 10 }, async () =>
      askAndLeave(open, 'chat', 'after the end of what is said', (arrived[0] ?? left).promise),
    );
    await Promise.race(asked);
    left.resolve();
    await Promise.all(asked);
    while (open.entries.length < 10) await sleep(1);
    assert.equal(open.lane.usage().outputTokens, upstream.calls.length * 500);
    assert.ok(open.lane.usage().outputTokens <= 20_000);
  });

  test('an answer that is no stream is read and paid when its client has left', async () => {
    const left = Promise.withResolvers<void>();
    const upstream = await ScriptedUpstream.start(async (_call, response) => {
      left.resolve();
      await sleep(20);
      response.writeHead(200, { 'content-type': 'application/json' }).end(chatAnswer(CHAT_USAGE));
    });
    const open = await openLane(upstream.origin, BUDGETS['tokens']);
    after(async () => {
      await open.lane.close();
      await upstream.stop();
    });
    const leave = new AbortController();
    void left.promise.then(() => leave.abort());
    const [path, body] = ASK.chat();
    await assert.rejects(
      fetch(`${open.origin}${path}`, {
        method: 'POST',
        signal: leave.signal,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${open.lane.token}` },
        body: JSON.stringify(body),
      }),
    );
    while (open.entries.length === 0) await sleep(1);
    const { inputTokens, outputTokens, estimated } = open.lane.usage();
    assert.deepEqual([open.entries[0]?.outcome, inputTokens, outputTokens, estimated], ['client-gone', 1000, 500, 0]);
  });
});
