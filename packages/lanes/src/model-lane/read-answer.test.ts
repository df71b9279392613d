import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startFakeModel } from '../fake-model/start-fake-model.ts';
import type { ModelLaneEntry } from './contract.ts';
import { readAnswer } from './read-answer.ts';
import { ASK, openLane, type OpenLane } from './testing/scripted-upstream.ts';

const SCHEMA = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const TOOLS = {
  chat: { tools: [{ type: 'function', function: { name: 'run_shell', parameters: SCHEMA } }] },
  responses: { tools: [{ type: 'function', name: 'run_shell', parameters: SCHEMA }] },
  messages: { tools: [{ name: 'run_shell', input_schema: SCHEMA }] },
  gemini: { tools: [{ functionDeclarations: [{ name: 'run_shell', parametersJsonSchema: SCHEMA }] }] },
};

describe('what the record says of an answer, by a model of every dialect', () => {
  let open: OpenLane;
  let close: () => Promise<void>;
  before(async () => {
    const model = await startFakeModel({
      script: {
        turns: [
          {
            think: 'I ponder.',
            say: 'I look — é.',
            tools: [
              { name: 'run_shell', arguments: { command: 'ls "x"' } },
              { name: 'run_shell', arguments: { command: 'pwd' } },
            ],
          },
        ],
      },
    });
    open = await openLane(model.origin);
    close = async () => {
      await open.lane.close();
      await model.close();
    };
  });
  after(() => close());

  for (const name of ['chat', 'responses', 'messages', 'gemini'] as const) {
    for (const stream of [true, false]) {
      test(`${name}, ${stream ? 'a stream' : 'in one piece'}`, async () => {
        const [path, body] = ASK[name](name === 'gemini' ? TOOLS.gemini : { ...TOOLS[name], stream });
        const answer = await open.post(
          name === 'gemini' && !stream ? path.replace('streamGenerateContent?alt=sse', 'generateContent') : path,
          body,
        );
        assert.equal(answer.status, 200, await answer.clone().text());
        await answer.text();
        const entry = await open.settled();
        const { text, reasoning, calls, stop, servedBy } = readAnswer(entry) ?? assert.fail();
        assert.deepEqual([text, reasoning, servedBy], ['I look — é.', 'I ponder.', 'm-1']);
        assert.deepEqual(
          calls.map((call) => [call.name, call.arguments]),
          [
            ['run_shell', { command: 'ls "x"' }],
            ['run_shell', { command: 'pwd' }],
          ],
        );
        assert.ok(stop !== null && calls.every(({ id }) => id !== ''));
        assert.equal(entry.usage?.estimated, false);
        assert.equal(entry.detail, null);
      });
    }
  }

  test('what was cut is read as far as it came, and what is no answer is none', () => {
    const response = {
      status: 200,
      contentType: '',
      bytes: 0,
      sha256: '',
      truncated: true,
      malformedEvents: 0,
      text: 'data: {"choices":[{"delta":{"content":"half "}}]}\n\ndata: 5\n\ndata: {"choices":[{"delta":{"content":"a wo',
    };
    const entry = {
      dialect: 'openai-chat',
      stream: true,
      outcome: 'infrastructure',
      response,
    } as const satisfies Partial<ModelLaneEntry>;
    assert.deepEqual(readAnswer(entry), { text: 'half ', reasoning: '', calls: [], stop: null, servedBy: null });
    assert.equal(readAnswer({ ...entry, response: null }), null);
    assert.equal(readAnswer({ ...entry, outcome: 'upstream-refused' }), null);
    assert.equal(readAnswer({ ...entry, stream: false })?.text, '');
  });
});
