import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useFakeModel } from '@assay/testkit';
import { ask, post, type Turn } from './dialect-clients.fixture.ts';
import type { FakeModelEndpoints } from './serve-fake-model.ts';

const USER: Turn = { user: 'do it' };
const run = (command: string): { name: string; arguments: { command: string } } => ({
  name: 'run_shell',
  arguments: { command },
});
const say = async (endpoints: FakeModelEndpoints, turns: Turn[] = [USER], extra: object = {}): Promise<string> =>
  (await ask(endpoints, 'openai-chat', turns, { streams: false, extra })).text;
const statusOf = async (endpoints: FakeModelEndpoints, turns: Turn[] = [USER]): Promise<number> =>
  (await post(endpoints, 'openai-chat', turns, { streams: true })).status;

describe('the place in the script', () => {
  test('follows each conversation, however many there are at once', async () => {
    const { endpoints } = await useFakeModel({
      script: {
        turns: Array.from({ length: 5 }, (_, index) => ({ say: `turn ${index}`, tools: [run(`echo ${index}`)] })),
      },
    });
    const talk = async (): Promise<string[]> => {
      const turns: Turn[] = [USER];
      const said: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        const answer = await ask(endpoints, 'anthropic-messages', turns, { streams: true });
        turns.push({ answer, results: answer.calls.map(() => 'same') });
        said.push(answer.text);
      }
      return said;
    };
    const talks = await Promise.all(Array.from({ length: 8 }, talk));
    for (const said of talks) assert.deepEqual(said, ['turn 0', 'turn 1', 'turn 2', 'turn 3', 'turn 4', 'Done.']);
  });

  test("is kept by a client that gives calls ids of its own, and by one that puts words into the model's mouth", async () => {
    const { endpoints } = await useFakeModel({
      script: { turns: [{ say: 'one', tools: [run('a')] }, { tools: [run('b')] }, { say: 'three' }] },
    });
    const mouth: Turn[] = [
      { user: 'context' },
      { answer: { text: 'Understood.', calls: [], stop: '', usage: null }, results: [] },
      USER,
    ];
    const first = await ask(endpoints, 'openai-chat', mouth, { streams: false });
    assert.equal(first.text, 'one');
    const renamed = { ...first, calls: first.calls.map((call) => ({ ...call, id: 'abc123def' })) };
    const second = await ask(endpoints, 'openai-chat', [...mouth, { answer: renamed, results: ['x'] }], {
      streams: false,
    });
    assert.deepEqual(
      second.calls.map((call) => call.arguments),
      [{ command: 'b' }],
    );
    assert.equal(
      await say(endpoints, [...mouth, { answer: renamed, results: ['x'] }, { answer: second, results: ['y'] }]),
      'three',
    );
  });

  test('may follow the requests instead', async () => {
    const { endpoints } = await useFakeModel({
      script: {
        order: 'requests',
        turns: [
          { say: 'one', repeat: 2 },
          { fault: 'status', status: 500 },
          { say: 'for ever', repeat: 'always' },
        ],
      },
    });
    assert.deepEqual(
      [
        await say(endpoints),
        await say(endpoints),
        await statusOf(endpoints),
        await say(endpoints),
        await say(endpoints),
      ],
      ['one', 'one', 500, 'for ever', 'for ever'],
    );
  });

  test('a fault is shown to each conversation before its turn, as often as is said', async () => {
    const { endpoints } = await useFakeModel({
      script: {
        turns: [
          { fault: 'status', status: 429, repeat: 2 },
          { fault: 'status', status: 503 },
          { say: 'one', tools: [run('a')] },
          { fault: 'status', status: 402, repeat: 'always' },
        ],
      },
    });
    const other: Turn[] = [{ user: 'another' }];
    assert.deepEqual(
      [
        await statusOf(endpoints),
        await statusOf(endpoints, other),
        await statusOf(endpoints),
        await statusOf(endpoints),
      ],
      [429, 429, 429, 503],
    );
    const first = await ask(endpoints, 'openai-chat', [USER], { streams: false });
    assert.equal(first.text, 'one');
    const later: Turn[] = [USER, { answer: first, results: ['x'] }];
    assert.deepEqual(
      [await statusOf(endpoints, later), await statusOf(endpoints, later), await statusOf(endpoints, other)],
      [402, 402, 429],
    );
  });
});

describe('rules with `when`', () => {
  test('come first, take no turn, and are used up', async () => {
    const { endpoints } = await useFakeModel({
      script: {
        turns: [
          { say: 'one', tools: [run('a')] },
          { say: 'two' },
          { when: { toolResult: 'failed' }, say: 'again', tools: [run('a')], repeat: 2 },
          {
            when: {
              contains: 'hello',
              dialect: 'openai-chat',
              model: 'm',
              streams: false,
              tools: true,
              system: 'brief',
            },
            say: 'hello to you',
          },
          { when: { dialect: 'gemini' }, say: 'wrong' },
        ],
      },
    });
    assert.equal(await say(endpoints, [{ user: 'hello' }]), 'hello to you');
    const turns: Turn[] = [USER];
    const said: string[] = [];
    for (const result of ['1 failed', '2 failed', '3 failed', '']) {
      const answer = await ask(endpoints, 'openai-chat', turns, { streams: false });
      said.push(answer.text);
      turns.push({ answer, results: answer.calls.map(() => result) });
    }
    assert.deepEqual(said, ['one', 'again', 'again', 'two']);
  });

  test('may look at the number of the request', async () => {
    const { endpoints } = await useFakeModel({
      script: {
        turns: [
          { say: 'any', repeat: 'always' },
          { when: { request: 2 }, say: 'second' },
        ],
      },
    });
    assert.deepEqual([await say(endpoints), await say(endpoints), await say(endpoints)], ['any', 'second', 'any']);
  });
});

describe('requests beside the conversation', () => {
  const script = { turns: [{ say: 'one', tools: [run('a')] }] };

  test('are answered without the script: no tools, hosted tools alone, an answer by schema', async () => {
    const { endpoints } = await useFakeModel({ script });
    assert.equal(await say(endpoints, [USER], { tools: [] }), 'ok');
    assert.equal(await say(endpoints, [USER], { tools: undefined }), 'ok');
    const search = await ask(endpoints, 'anthropic-messages', [USER], {
      streams: true,
      extra: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    });
    assert.deepEqual([search.text, search.calls], ['ok', []]);
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string' },
        next: { enum: ['user', 'model'] },
        points: { type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 2 },
      },
    };
    const wanted = { title: 'ok', next: 'user', points: [3, 3] };
    assert.deepEqual(
      JSON.parse(
        await say(endpoints, [USER], { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
      ),
      wanted,
    );
    assert.deepEqual(
      JSON.parse(
        (
          await ask(endpoints, 'openai-responses', [USER], {
            streams: true,
            extra: { text: { format: { type: 'json_schema', name: 'x', schema } } },
          })
        ).text,
      ),
      wanted,
    );
    assert.deepEqual(
      JSON.parse(
        (
          await ask(endpoints, 'anthropic-messages', [USER], {
            streams: true,
            extra: { tools: [], output_config: { format: { type: 'json_schema', schema } } },
          })
        ).text,
      ),
      wanted,
    );
    assert.deepEqual(
      JSON.parse(
        (
          await ask(endpoints, 'gemini', [USER], {
            streams: false,
            extra: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
          })
        ).text,
      ),
      wanted,
    );
    assert.equal(await say(endpoints), 'one');
  });

  test('are a turn like any other where that is wanted, and where the turn needs no tools', async () => {
    const { endpoints } = await useFakeModel({
      script: { sideRequests: false, turns: [{ say: '{"title": "mine"}' }] },
    });
    assert.equal(
      await say(endpoints, [USER], { response_format: { type: 'json_schema', json_schema: { schema: {} } } }),
      '{"title": "mine"}',
    );
    const plain = await useFakeModel({ script: { turns: [{ say: 'just talk' }] } });
    assert.equal(await say(plain.endpoints, [USER], { tools: undefined }), 'just talk');
  });

  test('a turn whose tool nobody offers says so', async () => {
    const { endpoints } = await useFakeModel({ script });
    const response = await post(endpoints, 'openai-chat', [USER], {
      streams: false,
      extra: { tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }] },
    });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /turn 1: no tool that is offered can run_shell\. Offered: weather/);
  });
});
