import assert from 'node:assert/strict';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, test } from 'node:test';
import type { ScriptEntryInput } from '../fake-model/script.ts';
import { startFakeModel } from '../fake-model/start-fake-model.ts';
import type { ModelLanePolicy } from './contract.ts';
import { SMALL_QUESTION } from './dialects/small-question.ts';
import {
  answerChat,
  ASK,
  KEY,
  openLane,
  ScriptedUpstream,
  sse,
  type OpenLane,
  type Script,
  type UpstreamCall,
} from './testing/scripted-upstream.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function laneTo(
  script: Script,
  policy: Partial<ModelLanePolicy> = {},
): Promise<OpenLane & { upstream: ScriptedUpstream }> {
  const upstream = await ScriptedUpstream.start(script);
  cleanups.push(() => upstream.stop());
  const open = await openLane(upstream.origin, { policy: { attempts: 2, ...policy } });
  cleanups.push(() => open.lane.close());
  return { ...open, upstream };
}

const POISON = 'the words that break it';
const poisoned = (more: object = {}): [string, object] =>
  ASK.chat({ messages: [{ role: 'user', content: POISON }], ...more });
const isPoisoned = ({ text }: UpstreamCall): boolean => text.includes(POISON);
const streamOf =
  (text: string): Script =>
  (_call, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const FINE = sse({ choices: [{ delta: { content: 'hi' }, finish_reason: 'stop' }] });
const fine: Script = (call, response, index) =>
  (call.body['stream'] === true ? streamOf(FINE) : answerChat)(call, response, index);
const breaks: Script = (_call, response) =>
  void response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .write(FINE, () => setTimeout(() => response.destroy(), 5));

describe('a request at which the service fails, while it answers others', () => {
  const faults: Record<string, Script> = {
    500: (_call, response) => void response.writeHead(500).end(),
    429: (_call, response) => void response.writeHead(429, { 'retry-after': '0' }).end(),
    '403 of a filter for words': (_call, response) =>
      void response.writeHead(403).end('{"error":{"message":"blocked"}}'),
    '402 for a limit of tokens': (_call, response) => void response.writeHead(402).end('{}'),
    'a reset': (_call, response) => void response.destroy(),
    'no JSON': (_call, response) => void response.writeHead(200).end('<html>'),
    'an answer without end': (_call, response) => void response.writeHead(200).end('x'.repeat(30_000)),
    'the key in its answer': (_call, response) => void response.writeHead(200).end(`{"a":"${KEY}"}`),
  };
  for (const [name, fault] of Object.entries(faults)) {
    test(`${name}: is refused, and the agent may ask something else`, async () => {
      const open = await laneTo((call, response, index) => (isPoisoned(call) ? fault : fine)(call, response, index), {
        responseBytes: 20_000,
      });
      const answer = await open.post(...poisoned());
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /lane: the service fails at this request and answers others"/);
      assert.equal((await open.settled()).outcome, 'upstream-refused');
      assert.equal(open.lane.stopReason(), null);
      assert.equal(await open.lane.lastFailed(), false);
      assert.equal((await open.post(...ASK.chat())).status, 200);
      assert.ok(open.upstream.calls.some(({ text }) => text.includes(SMALL_QUESTION)));
    });
    test(`control, ${name} for all: is infrastructure`, async () => {
      const open = await laneTo(fault, { responseBytes: 20_000 });
      assert.equal((await open.post(...poisoned())).status, 400);
      assert.equal((await open.settled()).outcome, 'infrastructure');
      assert.equal(open.lane.stopReason()?.kind, 'infrastructure');
    });
  }

  test('a service that is there again by then: the client sees nothing of it', async () => {
    const open = await laneTo((call, response, index) =>
      (index < 3 ? (faults[500] ?? fine) : fine)(call, response, index),
    );
    assert.equal((await open.post(...poisoned())).status, 200);
    const { outcome, retries } = await open.settled();
    assert.equal(outcome, 'answered');
    assert.match(retries.at(-1)?.detail ?? '', /answered 500; then the service answered a small question/);
  });

  test('what the lane asks is small, holds nothing of the client, and is charged', async () => {
    const open = await laneTo((call, response, index) =>
      (isPoisoned(call) ? (faults[500] ?? fine) : fine)(call, response, index),
    );
    await open.post(...poisoned(), { 'anthropic-beta': 'x', accept: 'text/event-stream' });
    const own = open.upstream.calls.find(({ text }) => text.includes(SMALL_QUESTION));
    assert.deepEqual(own?.body, {
      model: 'm-1',
      messages: [{ role: 'user', content: SMALL_QUESTION }],
      max_tokens: 1024,
    });
    assert.deepEqual([open.lane.usage().inputTokens, open.lane.usage().outputTokens], [20, 10]);
  });

  test('an outage is told as such although the client did not wait', async () => {
    const open = await laneTo((_call, response) => void setTimeout(() => response.writeHead(500).end(), 20), {
      attempts: 1,
    });
    const leave = new AbortController();
    const asked = fetch(`${open.origin}/v1/chat/completions`, {
      method: 'POST',
      signal: leave.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${open.lane.token}` },
      body: JSON.stringify(ASK.chat()[1]),
    });
    while (!open.upstream.calls.some(({ text }) => text.includes(SMALL_QUESTION))) await sleep(1);
    leave.abort();
    await assert.rejects(asked);
    assert.equal(await open.lane.lastFailed(), false);
    assert.equal(open.lane.stopReason()?.kind, 'infrastructure');
  });
});

describe('in every dialect', () => {
  const script: ScriptEntryInput[] = [
    { when: { contains: POISON }, fault: 'status', status: 500, repeat: 'always' },
    { say: 'ok' },
  ];
  const asks: Record<string, (words: string, stream: boolean) => [string, object]> = {
    chat: (content, stream) => ASK.chat({ stream, messages: [{ role: 'user', content }] }),
    responses: (input, stream) => ASK.responses({ stream, input }),
    messages: (content, stream) => ASK.messages({ stream, messages: [{ role: 'user', content }] }),
    gemini: (text, stream) => [
      `/v1beta/models/m-1:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ role: 'user', parts: [{ text }] }] },
    ],
  };
  for (const [name, ask] of Object.entries(asks)) {
    test(`${name}: the service answers the lane's own question`, async () => {
      const model = await startFakeModel({ script: { turns: script } });
      cleanups.push(() => model.close());
      const open = await openLane(new URL('/', model.endpoints.openai).href, { policy: { attempts: 1 } });
      cleanups.push(() => open.lane.close());
      for (const stream of [false, true]) {
        const answer = await open.post(...ask(POISON, stream));
        assert.match(await answer.text(), /fails at this request and answers others/);
        assert.equal((await open.settled()).outcome, 'upstream-refused');
        assert.equal((await open.post(...ask('hello', stream))).status, 200);
      }
    });
  }
});

describe('more at the same time than the service takes', () => {
  /** Takes one request at a time. */
  function narrow(): Script {
    let busy = false;
    return (_call, response) => {
      if (busy) return void response.writeHead(500).end();
      busy = true;
      response.on('close', () => (busy = false));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FINE);
      // One that the client holds open does not end.
      if (!isPoisoned(_call)) response.end();
      return undefined;
    };
  }

  test("is the client's doing: its other requests end, and the service is asked again", async () => {
    const open = await laneTo(narrow());
    const held = await open.post(...poisoned({ stream: true }));
    assert.equal(held.status, 200);
    const answer = await open.post(...ASK.chat({ stream: true }));
    assert.deepEqual([answer.status, await answer.text()], [200, FINE]);
    await assert.rejects(held.text());
    assert.equal(open.lane.stopReason(), null);
    await open.settled();
    assert.deepEqual(open.entries.map(({ outcome }) => outcome).toSorted(), ['answered', 'refused']);
  });

  test('answers that are too much to hold are refused', async () => {
    const open = await laneTo((_call, response) => void response.writeHead(200).end(`{"a":"${'x'.repeat(50_000)}"}`), {
      heldBytes: 40_000,
    });
    const answer = await open.post(...ASK.chat());
    assert.deepEqual([answer.status, /too much at the same time/.test(await answer.text())], [400, true]);
    assert.deepEqual([(await open.settled()).outcome, open.lane.stopReason()], ['refused', null]);
  });
});

describe('streams that break', () => {
  test('at one request, while others end well: the lane stops as if its budget were spent', async () => {
    const open = await laneTo((call, response, index) => (isPoisoned(call) ? breaks : fine)(call, response, index), {
      brokenStreams: 3,
    });
    for (let time = 0; time < 3; time += 1)
      await (await open.post(...poisoned({ stream: true }))).text().catch(() => '');
    assert.equal((await open.post(...ASK.chat())).status, 402);
    assert.equal(open.lane.stopReason()?.kind, 'budget');
    assert.match(
      open.lane.stopReason()?.detail ?? '',
      /3 streams of the service broke in a row, at requests that it fails at/,
    );
  });

  test('control: a service that broke them and is well again says nothing about the agent', async () => {
    const open = await laneTo((call, response, index) => (index < 3 ? breaks : fine)(call, response, index), {
      brokenStreams: 3,
    });
    for (let time = 0; time < 3; time += 1)
      await (await open.post(...poisoned({ stream: true }))).text().catch(() => '');
    assert.equal((await open.post(...ASK.chat())).status, 400);
    assert.equal(open.lane.stopReason()?.kind, 'infrastructure');
  });

  test('the last thing that was asked: it is asked again when the client is gone', async () => {
    const attack = await laneTo((call, response, index) => (isPoisoned(call) ? breaks : fine)(call, response, index));
    await (await attack.post(...poisoned({ stream: true }))).text().catch(() => '');
    assert.equal((await attack.settled()).outcome, 'infrastructure');
    assert.equal(await attack.lane.lastFailed(), false);
    assert.equal(attack.upstream.calls.filter(isPoisoned).length, 2);
    for (const script of [
      breaks,
      ((call, response, index) => (index === 0 ? breaks : fine)(call, response, index)) satisfies Script,
    ]) {
      const honest = await laneTo(script);
      await (await honest.post(...poisoned({ stream: true }))).text().catch(() => '');
      await honest.settled();
      assert.equal(await honest.lane.lastFailed(), true);
    }
  });
});

test('a stream that ends well after one that broke: the service works', async () => {
  const end = Promise.withResolvers<void>();
  const open = await laneTo(async (call, response, index) => {
    if (isPoisoned(call)) return void breaks(call, response, index);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FINE);
    await end.promise;
    response.end();
    return undefined;
  });
  const first = await open.post(...ASK.chat({ stream: true }));
  await (await open.post(...poisoned({ stream: true }))).text().catch(() => '');
  end.resolve();
  await first.text();
  await open.settled();
  assert.equal(await open.lane.lastFailed(), false);
});

describe('a client that does not take its stream', () => {
  const flood: Script = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const pour = (): void => {
      while (
        !response.destroyed &&
        response.write(`data: {"choices":[{"delta":{"content":"${'x'.repeat(60_000)}"}}]}\n\n`)
      );
    };
    response.on('drain', pour);
    pour();
  };

  /** Asks for a stream and reads nothing of it. */
  function holdStream({ port, lane }: OpenLane): net.Socket {
    const body = JSON.stringify(ASK.chat({ stream: true })[1]);
    const socket = net.connect(port, '127.0.0.1').on('error', () => {});
    socket.pause();
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${lane.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    return socket;
  }

  test('is one that went away, however often, and pays', async () => {
    const open = await laneTo(flood, { idleMs: 100, brokenStreams: 2 });
    for (let time = 1; time <= 3; time += 1) {
      const socket = holdStream(open);
      while (open.entries.length < time) await sleep(5);
      socket.destroy();
    }
    assert.deepEqual(
      open.entries.map(({ outcome, detail }) => [outcome, detail]),
      Array.from({ length: 3 }, () => ['client-gone', 'the client takes nothing for 100 ms']),
    );
    assert.deepEqual(
      [open.lane.stopReason(), await open.lane.lastFailed(), open.lane.usage().broken],
      [null, false, 0],
    );
    assert.ok(open.lane.usage().outputTokens > 1000);
  });

  test('also when the service gives up first', async () => {
    const open = await laneTo((call, response, index) => {
      void flood(call, response, index);
      setTimeout(() => response.destroy(), 1300);
    });
    const socket = holdStream(open);
    // Read what has arrived by then, or the end of the stream is never seen.
    setTimeout(() => socket.resume(), 1500);
    while (open.entries.length === 0) await sleep(5);
    socket.destroy();
    assert.equal(open.entries[0]?.outcome, 'client-gone');
    assert.equal(await open.lane.lastFailed(), false);
  });

  test('control: a service that falls silent or breaks it off is infrastructure', async () => {
    const silent = await laneTo(
      (_call, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(FINE),
      { idleMs: 50 },
    );
    await assert.rejects((await silent.post(...ASK.chat({ stream: true }))).text());
    assert.deepEqual([(await silent.settled()).outcome, await silent.lane.lastFailed()], ['infrastructure', true]);
  });
});

test('no words of the lane hold a number that makes a client ask again', async () => {
  const open = await laneTo((_call, response) => void response.writeHead(503).end());
  const told = async (lane: OpenLane, ask: [string, object]): Promise<string> => (await lane.post(...ask)).text();
  const words = [
    await told(open, ASK.chat({ [`x${500}`]: 1 })),
    await told(
      open,
      ASK.chat({
        messages: [
          ...Array.from({ length: 504 }, () => ({ role: 'user', content: 'x' })),
          { role: 'user', content: 'x', bad: 1 },
        ],
      }),
    ),
    await told(open, ASK.chat({ model: 'model-1503-b' })),
    await told(open, ASK.chat()),
  ];
  const upstream = await ScriptedUpstream.start(answerChat);
  cleanups.push(() => upstream.stop());
  for (const budgets of [
    { requests: 500 },
    { inputTokens: 502 },
    { outputTokens: 503 },
    { totalTokens: 1504 },
    { wallMs: 502_000 },
  ]) {
    const lane = await openLane(upstream.origin, {
      budgets: { ...budgets, ...('wallMs' in budgets ? { wallMs: 502 } : {}) },
    });
    cleanups.push(() => lane.lane.close());
    upstream.script = (_call, response) =>
      void response.end(
        JSON.stringify({
          object: 'chat.completion',
          choices: [],
          usage: { prompt_tokens: 1524, completion_tokens: 5293 },
        }),
      );
    if ('wallMs' in budgets) await sleep(520);
    for (let count = 0; count < ('requests' in budgets ? 500 : 1); count += 1)
      await told(lane, ASK.chat('requests' in budgets ? { bad: 1 } : {}));
    words.push(await told(lane, ASK.chat()));
    assert.notEqual(lane.lane.stopReason(), null);
  }
  for (const text of words) {
    assert.match(text, /lane: /);
    assert.doesNotMatch(
      text,
      /429|50[0234]|524|reset|refused|unavailable|overloaded|server error|timed? ?out|try again/i,
    );
  }
  assert.match(words[4] ?? '', /the limit of # requests is reached/);
});
