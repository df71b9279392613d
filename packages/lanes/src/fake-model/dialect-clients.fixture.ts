import assert from 'node:assert/strict';
import type { FakeDialectName } from './contract.ts';
import { field, list, textOf } from './json-access.ts';
import type { FakeModelEndpoints } from './serve-fake-model.ts';

/** An answer as a client reads it. */
export interface ReadAnswer {
  text: string;
  calls: { id: string; name: string; arguments: unknown }[];
  stop: string;
  usage: unknown;
}

export interface SentEvent {
  event?: string;
  data: unknown;
}

export interface DialectClient {
  url(endpoints: FakeModelEndpoints, streams: boolean): string;
  /** `turns`: what the user said, then answers and results of tools, in turn. */
  body(turns: Turn[], streams: boolean, extra?: object): object;
  /** Reads a whole answer. */
  read(json: unknown): ReadAnswer;
  /** Reads a stream. */
  gather(events: SentEvent[]): ReadAnswer;
}

export type Turn = { user: string } | { answer: ReadAnswer; results: string[] };

const PARAMETERS = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const SHELL = { name: 'bash', description: 'runs a command' };

const chat: DialectClient = {
  url: ({ openai }) => `${openai}/chat/completions`,
  body: (turns, stream, extra = {}) => ({
    model: 'm',
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    tools: [{ type: 'function', function: { ...SHELL, parameters: PARAMETERS } }],
    messages: [
      { role: 'system', content: 'be brief' },
      ...turns.flatMap((turn): object[] =>
        'user' in turn
          ? [{ role: 'user', content: turn.user }]
          : [
              {
                role: 'assistant',
                content: turn.answer.text,
                tool_calls: turn.answer.calls.map(({ id, name, arguments: given }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(given) },
                })),
              },
              ...turn.results.map((content, index) => ({
                role: 'tool',
                tool_call_id: turn.answer.calls[index]?.id,
                content,
              })),
            ],
      ),
    ],
    ...extra,
  }),
  read: (json) => {
    const choice = list(field(json, 'choices'))[0];
    const calls = list(field(choice, 'message', 'tool_calls')).map((call) => ({
      id: textOf(field(call, 'id')),
      name: textOf(field(call, 'function', 'name')),
      arguments: parse(field(call, 'function', 'arguments')),
    }));
    return {
      text: textOf(field(choice, 'message', 'content')),
      calls,
      stop: textOf(field(choice, 'finish_reason')),
      usage: field(json, 'usage'),
    };
  },
  gather: (events) => {
    const calls = new Map<unknown, { id: string; name: string; text: string }>();
    let text = '';
    let stop = '';
    let usage: unknown;
    for (const { data } of events) {
      const [choice] = list(field(data, 'choices'));
      text += textOf(field(choice, 'delta', 'content'));
      stop += textOf(field(choice, 'finish_reason'));
      usage = field(data, 'usage') ?? usage;
      for (const call of list(field(choice, 'delta', 'tool_calls'))) {
        const known = calls.get(field(call, 'index')) ?? {
          id: textOf(field(call, 'id')),
          name: textOf(field(call, 'function', 'name')),
          text: '',
        };
        calls.set(field(call, 'index'), { ...known, text: known.text + textOf(field(call, 'function', 'arguments')) });
      }
    }
    return {
      text,
      calls: [...calls.values()].map(({ id, name, text: given }) => ({ id, name, arguments: parse(given) })),
      stop,
      usage,
    };
  },
};

const responses: DialectClient = {
  url: ({ openai }) => `${openai}/responses`,
  body: (turns, stream, extra = {}) => ({
    model: 'm',
    stream,
    store: false,
    tools: [{ type: 'function', ...SHELL, parameters: PARAMETERS }],
    input: turns.flatMap((turn): object[] =>
      'user' in turn
        ? [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.user }] }]
        : [
            ...(turn.answer.text === ''
              ? []
              : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turn.answer.text }] }]),
            ...turn.answer.calls.map(({ id, name, arguments: given }) => ({
              type: 'function_call',
              call_id: id,
              name,
              arguments: JSON.stringify(given),
            })),
            ...turn.results.map((output, index) => ({
              type: 'function_call_output',
              call_id: turn.answer.calls[index]?.id,
              output,
            })),
          ],
    ),
    ...extra,
  }),
  read: (json) => {
    const output = list(field(json, 'output'));
    const calls = output
      .filter((item) => field(item, 'type') === 'function_call')
      .map((item) => ({
        id: textOf(field(item, 'call_id')),
        name: textOf(field(item, 'name')),
        arguments: parse(field(item, 'arguments')),
      }));
    return {
      text: output.map((item) => textOf(field(item, 'content'))).join(''),
      calls,
      stop: textOf(field(json, 'status')),
      usage: field(json, 'usage'),
    };
  },
  gather: (events) => {
    const last = events.at(-1)?.data;
    const whole = responses.read(field(last, 'response'));
    const deltas = events
      .filter(({ event }) => event === 'response.output_text.delta')
      .map(({ data }) => textOf(field(data, 'delta')))
      .join('');
    assert.equal(deltas, whole.text, 'the deltas are the text');
    return whole;
  },
};

const anthropic: DialectClient = {
  url: ({ anthropic: base }) => `${base}/v1/messages`,
  body: (turns, stream, extra = {}) => ({
    model: 'm',
    stream,
    max_tokens: 100,
    system: [{ type: 'text', text: 'be brief' }],
    tools: [{ ...SHELL, input_schema: PARAMETERS }],
    messages: turns.flatMap((turn): object[] =>
      'user' in turn
        ? [{ role: 'user', content: turn.user }]
        : [
            {
              role: 'assistant',
              content: [
                { type: 'text', text: turn.answer.text },
                ...turn.answer.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
              ],
            },
            ...(turn.results.length === 0
              ? []
              : [
                  {
                    role: 'user',
                    content: turn.results.map((content, index) => ({
                      type: 'tool_result',
                      tool_use_id: turn.answer.calls[index]?.id,
                      content: [{ type: 'text', text: content }],
                    })),
                  },
                ]),
          ],
    ),
    ...extra,
  }),
  read: (json) => {
    const content = list(field(json, 'content'));
    const calls = content
      .filter((block) => field(block, 'type') === 'tool_use')
      .map((block) => ({
        id: textOf(field(block, 'id')),
        name: textOf(field(block, 'name')),
        arguments: field(block, 'input'),
      }));
    return { text: textOf(content), calls, stop: textOf(field(json, 'stop_reason')), usage: field(json, 'usage') };
  },
  gather: (events) => {
    const blocks: { type: string; id: string; name: string; text: string }[] = [];
    let stop = '';
    let usage: unknown;
    for (const { data } of events) {
      const block = field(data, 'content_block');
      if (block !== undefined)
        blocks.push({
          type: textOf(field(block, 'type')),
          id: textOf(field(block, 'id')),
          name: textOf(field(block, 'name')),
          text: '',
        });
      const current = blocks.at(-1);
      if (current !== undefined)
        current.text += textOf(field(data, 'delta', 'text')) + textOf(field(data, 'delta', 'partial_json'));
      stop += textOf(field(data, 'delta', 'stop_reason'));
      usage = field(data, 'usage') ?? usage;
    }
    const ofType = (type: string): typeof blocks => blocks.filter((block) => block.type === type);
    return {
      text: ofType('text')
        .map(({ text }) => text)
        .join(''),
      calls: ofType('tool_use').map(({ id, name, text }) => ({ id, name, arguments: parse(text) })),
      stop,
      usage,
    };
  },
};

const gemini: DialectClient = {
  url: ({ gemini: base }, streams) =>
    `${base}/v1beta/models/m:${streams ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (turns, _, extra = {}) => ({
    systemInstruction: { role: 'user', parts: [{ text: 'be brief' }] },
    tools: [{ functionDeclarations: [{ ...SHELL, parametersJsonSchema: PARAMETERS }] }],
    contents: turns.flatMap((turn): object[] =>
      'user' in turn
        ? [{ role: 'user', parts: [{ text: turn.user }] }]
        : [
            {
              role: 'model',
              parts: [
                { text: turn.answer.text },
                ...turn.answer.calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
              ],
            },
            ...(turn.results.length === 0
              ? []
              : [
                  {
                    role: 'user',
                    parts: turn.results.map((output, index) => ({
                      functionResponse: { id: turn.answer.calls[index]?.id, name: 'bash', response: { output } },
                    })),
                  },
                ]),
          ],
    ),
    ...extra,
  }),
  read: (json) => gemini.gather([{ data: json }]),
  gather: (events) => {
    const parts = events.flatMap(({ data }) => list(field(list(field(data, 'candidates'))[0], 'content', 'parts')));
    const calls = parts
      .map((part) => field(part, 'functionCall'))
      .filter((call) => call !== undefined)
      .map((call) => ({
        id: textOf(field(call, 'id')),
        name: textOf(field(call, 'name')),
        arguments: field(call, 'args'),
      }));
    const last = events.at(-1)?.data;
    return {
      text: textOf(parts.filter((part) => field(part, 'thought') !== true)),
      calls,
      stop: textOf(field(list(field(last, 'candidates'))[0], 'finishReason')),
      usage: field(last, 'usageMetadata'),
    };
  },
};

/** Clients of each dialect, written by its description, without what the fake itself is made of. */
export const DIALECT_CLIENTS: Record<FakeDialectName, DialectClient> = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': anthropic,
  gemini,
};

/** Reads a stream of events by the rules of the format; `[DONE]` is left out. */
export function readEvents(text: string): SentEvent[] {
  assert.ok(text.endsWith('\n\n'), 'the last event is whole');
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .flatMap((block): SentEvent[] => {
      const lines = block.split('\n');
      const event = lines.find((line) => line.startsWith('event: '))?.slice(7);
      const data = lines
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n');
      return data === '[DONE]' ? [] : [{ ...(event === undefined ? {} : { event }), data: JSON.parse(data) }];
    });
}

function parse(text: unknown): unknown {
  return JSON.parse(textOf(text));
}

export interface AskOptions {
  streams: boolean;
  /** Further members of the body. */
  extra?: object;
}

/** Asks once. Throws what `fetch` throws, and for any status but 200. */
export async function ask(
  endpoints: FakeModelEndpoints,
  dialect: FakeDialectName,
  turns: Turn[],
  options: AskOptions,
): Promise<ReadAnswer> {
  const client = DIALECT_CLIENTS[dialect];
  const response = await post(endpoints, dialect, turns, options);
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return options.streams && response.headers.get('content-type') === 'text/event-stream'
    ? client.gather(readEvents(text))
    : client.read(JSON.parse(text));
}

export function post(
  endpoints: FakeModelEndpoints,
  dialect: FakeDialectName,
  turns: Turn[],
  { streams, extra = {} }: AskOptions,
): Promise<Response> {
  const client = DIALECT_CLIENTS[dialect];
  return fetch(client.url(endpoints, streams), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer secret-key' },
    body: JSON.stringify(client.body(turns, streams, extra)),
    redirect: 'manual',
    signal: AbortSignal.timeout(30_000),
  });
}
