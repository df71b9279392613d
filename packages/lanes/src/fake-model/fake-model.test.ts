import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { useFakeModel } from '@assay/testkit';
import { openChatModel } from '../models/chat-model.ts';
import { ask, DIALECT_CLIENTS, post, readEvents, type Turn } from './dialect-clients.fixture.ts';
import { FAKE_DIALECTS } from './dialects/index.ts';
import { field, list, textOf } from './json-access.ts';

const DIALECTS = FAKE_DIALECTS.map(({ name }) => name);
const USER: Turn = { user: 'do it' };
const run = (command: string): { name: string; arguments: { command: string } } => ({
  name: 'run_shell',
  arguments: { command },
});
const typesOf = (text: string): (string | undefined)[] => readEvents(text).map(({ event }) => event);

for (const dialect of DIALECTS) {
  for (const streams of [false, true]) {
    test(`${dialect}, ${streams ? 'streaming' : 'whole'}: a conversation goes through the script`, async () => {
      const { endpoints, requests } = await useFakeModel({
        script: {
          turns: [
            { say: 'I look – as one does 🙂.', think: 'where is it', tools: [run('ls -l'), run('pwd')], chunk: 3 },
            { tools: [run('echo "ä" \'b\'')], usage: { input: 100, output: 20, cached: 60, reasoning: 5 } },
            { say: 'Cut sh', stop: 'length' },
          ],
        },
      });
      const turns: Turn[] = [USER];
      const first = await ask(endpoints, dialect, turns, { streams });
      assert.equal(first.text, 'I look – as one does 🙂.');
      assert.deepEqual(
        first.calls.map(({ name, arguments: given }) => [name, given]),
        [
          ['bash', { command: 'ls -l' }],
          ['bash', { command: 'pwd' }],
        ],
      );
      assert.equal(new Set(first.calls.map(({ id }) => id)).size, 2);
      assert.equal(
        first.stop,
        {
          'openai-chat': 'tool_calls',
          'openai-responses': 'completed',
          'anthropic-messages': 'tool_use',
          gemini: 'STOP',
        }[dialect],
      );
      turns.push({ answer: first, results: ['a.txt', '/work'] });
      const second = await ask(endpoints, dialect, turns, { streams });
      assert.equal(second.text, '');
      assert.deepEqual(
        second.calls.map(({ arguments: given }) => given),
        [{ command: 'echo "ä" \'b\'' }],
      );
      assert.deepEqual(
        usageOf(second.usage),
        dialect === 'anthropic-messages' && streams
          ? { output: 20 }
          : { input: dialect === 'anthropic-messages' ? 40 : 100, output: dialect === 'gemini' ? 15 : 20 },
      );
      turns.push({ answer: second, results: ['b'] });
      const third = await ask(endpoints, dialect, turns, { streams });
      assert.deepEqual(
        [third.text, third.stop],
        [
          'Cut sh',
          {
            'openai-chat': 'length',
            'openai-responses': 'incomplete',
            'anthropic-messages': 'max_tokens',
            gemini: 'MAX_TOKENS',
          }[dialect],
        ],
      );
      turns.push({ answer: third, results: [] }, { user: 'and?' });
      assert.equal((await ask(endpoints, dialect, turns, { streams })).text, 'Done.');
      assert.deepEqual(
        requests.map((request) => [
          request.dialect,
          request.streams,
          request.model,
          request.key,
          request.tools?.[0]?.name,
        ]),
        turns.slice(1).map(() => [dialect, streams, 'm', 'secret-key', 'bash']),
      );
      assert.deepEqual(
        requests[1]?.conversation.map(({ by, text }) => [by, text]).filter(([by]) => by === 'tool'),
        [
          ['tool', 'a.txt'],
          ['tool', '/work'],
        ],
      );
    });
  }

  test(`${dialect}: the minimal stream says the same`, async () => {
    const { endpoints } = await useFakeModel({
      script: { turns: [{ say: 'brief', tools: [run('ls')], style: 'minimal' }] },
    });
    const response = await post(endpoints, dialect, [USER], { streams: true });
    const text = await response.text();
    const least = {
      'openai-chat': [undefined, undefined, undefined],
      'openai-responses': [undefined, undefined, undefined],
      'anthropic-messages': [
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_stop',
      ],
      gemini: [undefined],
    };
    assert.deepEqual(typesOf(text), least[dialect]);
    assert.ok(!text.includes('[DONE]'));
  });

  test(`${dialect}: a refusal and an error are told as this dialect tells them`, async () => {
    const { endpoints } = await useFakeModel({
      script: {
        order: 'requests',
        turns: [
          { say: 'I will not', stop: 'refusal' },
          { fault: 'status', status: 400, message: 'lane: no' },
        ],
      },
    });
    const refused = await ask(endpoints, dialect, [USER], { streams: false });
    assert.equal(
      refused.stop,
      { 'openai-chat': 'stop', 'openai-responses': 'completed', 'anthropic-messages': 'refusal', gemini: 'SAFETY' }[
        dialect
      ],
    );
    const response = await post(endpoints, dialect, [USER], { streams: true });
    assert.equal(response.status, 400);
    assert.equal(field(await response.json(), 'error', 'message'), 'lane: no');
  });
}

describe('the event sequence', () => {
  const script = { turns: [{ say: 'hi', tools: [run('ls')], chunk: 1000 }] };
  const streamOf = async (dialect: (typeof DIALECTS)[number]): Promise<string> =>
    (await post((await useFakeModel({ script })).endpoints, dialect, [USER], { streams: true })).text();

  test('of Anthropic messages', async () => {
    const text = await streamOf('anthropic-messages');
    const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
    assert.deepEqual(typesOf(text), ['message_start', 'ping', ...block, ...block, 'message_delta', 'message_stop']);
    for (const { event, data } of readEvents(text)) assert.equal(field(data, 'type'), event);
  });

  test('of OpenAI responses', async () => {
    const text = await streamOf('openai-responses');
    const inner = ['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'];
    const call = [
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
    ];
    assert.deepEqual(
      typesOf(text),
      ['created', 'in_progress', 'output_item.added', ...inner, 'output_item.done', ...call, 'completed'].map(
        (name) => `response.${name}`,
      ),
    );
    assert.deepEqual(
      readEvents(text).map(({ data }) => field(data, 'sequence_number')),
      Array.from({ length: 13 }, (_, index) => index),
    );
  });

  test('of OpenAI chat', async () => {
    const text = await streamOf('openai-chat');
    const deltas = readEvents(text).map(({ data }) =>
      Object.keys(field(list(field(data, 'choices'))[0], 'delta') ?? { none: 0 }),
    );
    assert.deepEqual(deltas, [['role', 'content'], ['content'], ['tool_calls'], [], ['none']]);
    assert.ok(text.endsWith('data: [DONE]\n\n'));
  });

  test('of Gemini, as events and as an array', async () => {
    const { origin, endpoints } = await useFakeModel({ script });
    const events = readEvents(await (await post(endpoints, 'gemini', [USER], { streams: true })).text());
    assert.deepEqual(
      events.map(({ data }) => textOf(field(list(field(data, 'candidates'))[0], 'finishReason'))),
      ['', 'STOP'],
    );
    const body = JSON.stringify(DIALECT_CLIENTS.gemini.body([USER], true));
    const array = await (
      await fetch(`${origin}/v1beta/models/m:streamGenerateContent`, { method: 'POST', body })
    ).json();
    assert.equal(list(array).length, 2);
  });
});

test('our own clients read it', async () => {
  const { endpoints } = await useFakeModel({
    script: { turns: [{ say: 'forty two', usage: { input: 7, output: 3 }, model: 'm-2026' }] },
  });
  for (const endpoint of [endpoints.openai, endpoints.anthropic]) {
    const answer = await openChatModel({ endpoint, model: 'm', apiKey: 'k' }).complete({
      system: 's',
      user: 'u',
      maxTokens: 9,
    });
    assert.deepEqual(answer, {
      text: 'forty two',
      stop: 'end',
      servedBy: 'm-2026',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  }
});

test('what is beside questions: probe, tokens, other addresses, an upgrade, no JSON', async () => {
  const { origin, requests } = await useFakeModel({ script: { turns: [{ say: 'x' }] } });
  const status = async (path: string, init: RequestInit = {}): Promise<number> =>
    (await fetch(`${origin}${path}`, init)).status;
  assert.equal(await status('/', { method: 'HEAD' }), 200);
  assert.match(await upgrade(origin), /^HTTP\/1\.1 404 /);
  assert.equal(await status('/v1/files', { method: 'POST', body: '{}' }), 404);
  assert.equal(await status('/v1/messages', { method: 'POST', body: '{' }), 400);
  const count = await fetch(`${origin}/v1/messages/count_tokens`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(400) }] }),
  });
  assert.ok(Number(field(await count.json(), 'input_tokens')) > 100);
  const gemini = await fetch(`${origin}/v1beta/models/m:countTokens`, { method: 'POST', body: '{"contents": []}' });
  assert.ok(Number(field(await gemini.json(), 'totalTokens')) > 0);
  assert.equal(requests.length, 0);
});

/** The first line that comes back. */
function upgrade(origin: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(
    'GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString('utf8'));
    });
  });
}

/** Input and output tokens, whatever they are called. */
function usageOf(usage: unknown): Record<string, number> {
  const named = {
    input: ['prompt_tokens', 'input_tokens', 'promptTokenCount'],
    output: ['completion_tokens', 'output_tokens', 'candidatesTokenCount'],
  };
  const found = Object.entries(named).map(([name, names]): [string, unknown] => [
    name,
    names.map((one) => field(usage, one)).find((value) => value !== undefined),
  ]);
  return Object.fromEntries(found.flatMap(([name, value]) => (typeof value === 'number' ? [[name, value]] : [])));
}
