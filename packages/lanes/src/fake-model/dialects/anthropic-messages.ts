import type { FakeDialect, OfferedTool, PlannedAnswer, Step, StreamEvent } from '../contract.ts';
import { field, joined, list, numberOf, pieces, textOf } from '../json-access.ts';

/** Tools that the provider runs itself. The client runs all others that have a type. */
const HOSTED = /^(?:web_search|web_fetch|code_execution|advisor|tool_search|mcp)/;
const ERRORS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** `/v1/messages` */
export const anthropicMessages: FakeDialect = {
  name: 'anthropic-messages',
  match: (path) =>
    path.endsWith('/v1/messages') ? 'ask' : path.endsWith('/v1/messages/count_tokens') ? 'count' : null,
  read: (body) => {
    const messages = list(field(body, 'messages'));
    const said = (role: string): string[] =>
      messages.filter((message) => field(message, 'role') === role).map((message) => textOf(field(message, 'content')));
    const tools = field(body, 'tools');
    const format = field(body, 'output_config', 'format') ?? field(body, 'output_format');
    return {
      model: textOf(field(body, 'model')),
      streams: field(body, 'stream') === true,
      system: joined([textOf(field(body, 'system')), ...said('system')]),
      user: joined(said('user')),
      conversation: messages.flatMap(readMessage),
      tools: Array.isArray(tools) ? tools.map(readTool) : null,
      schema: field(format, 'schema'),
      temperature: numberOf(field(body, 'temperature')),
      maxTokens: numberOf(field(body, 'max_tokens')),
      wantsUsage: true,
    };
  },
  whole: (answer) => message(answer, blocks(answer), stopReason(answer), usage(answer)),
  events: (answer, { chunk, minimal }) => {
    const { cached, input, output } = answer.usage;
    const told = (data: Record<string, unknown> & { type: string }): StreamEvent => ({ event: data.type, data });
    return [
      told({
        type: 'message_start',
        message: message(answer, [], null, {
          ...usage(answer),
          input_tokens: input - cached,
          output_tokens: Math.min(output, 1),
        }),
      }),
      ...(minimal ? [] : [told({ type: 'ping' })]),
      ...blocks(answer).flatMap((block, index) => blockEvents(block, index, minimal ? Number.MAX_SAFE_INTEGER : chunk)),
      ...(minimal
        ? []
        : [
            told({
              type: 'message_delta',
              delta: { stop_reason: stopReason(answer), stop_sequence: null },
              usage: { output_tokens: output },
            }),
          ]),
      told({ type: 'message_stop' }),
    ];
  },
  end: null,
  error: (status, text) => ({
    type: 'error',
    error: { type: ERRORS[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message: text },
  }),
  errorEvent: (text) => ({
    event: 'error',
    data: { type: 'error', error: { type: 'overloaded_error', message: text } },
  }),
  count: (tokens) => ({ input_tokens: tokens }),
};

/** A message of the user may hold results of tools beside text. */
function readMessage(item: unknown): Step[] {
  const content = field(item, 'content');
  const role = field(item, 'role');
  const blocksOf = (type: string): unknown[] => list(content).filter((block) => field(block, 'type') === type);
  if (role === 'assistant')
    return [
      { by: 'model', text: textOf(content), callIds: blocksOf('tool_use').map((block) => textOf(field(block, 'id'))) },
    ];
  if (role !== 'user') return [];
  const results = blocksOf('tool_result').map((block): Step => ({
    by: 'tool',
    text: textOf(field(block, 'content')),
    callIds: [textOf(field(block, 'tool_use_id'))],
  }));
  const text = textOf(content);
  return text === '' ? results : [...results, { by: 'user', text, callIds: [] }];
}

function readTool(tool: unknown): OfferedTool {
  const type = textOf(field(tool, 'type'));
  return {
    name: textOf(field(tool, 'name')),
    kind: HOSTED.test(type) ? 'hosted' : 'function',
    description: textOf(field(tool, 'description')),
    parameters: field(tool, 'input_schema'),
  };
}

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: object };

function blocks({ id, think, say, calls }: PlannedAnswer): Block[] {
  return [
    ...(think === ''
      ? []
      : [{ type: 'thinking' as const, thinking: think, signature: Buffer.from(`fake ${id}`).toString('base64') }]),
    ...(say === '' && calls.length > 0 ? [] : [{ type: 'text' as const, text: say }]),
    ...calls.map((call) => ({ type: 'tool_use' as const, id: call.id, name: call.name, input: call.arguments })),
  ];
}

function blockEvents(block: Block, index: number, chunk: number): StreamEvent[] {
  const delta = (inner: { type: string } & Record<string, unknown>): StreamEvent => ({
    event: 'content_block_delta',
    data: { type: 'content_block_delta', index, delta: inner },
    isText: inner.type === 'text_delta',
  });
  const start = (content_block: object): StreamEvent => ({
    event: 'content_block_start',
    data: { type: 'content_block_start', index, content_block },
  });
  const stop: StreamEvent = { event: 'content_block_stop', data: { type: 'content_block_stop', index } };
  if (block.type === 'text')
    return [
      start({ type: 'text', text: '' }),
      ...pieces(block.text, chunk).map((text) => delta({ type: 'text_delta', text })),
      stop,
    ];
  if (block.type === 'thinking') {
    const { thinking, signature } = block;
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      ...pieces(thinking, chunk).map((piece) => delta({ type: 'thinking_delta', thinking: piece })),
      delta({ type: 'signature_delta', signature }),
      stop,
    ];
  }
  return [
    start({ ...block, input: {} }),
    ...pieces(JSON.stringify(block.input), chunk).map((partial_json) =>
      delta({ type: 'input_json_delta', partial_json }),
    ),
    stop,
  ];
}

function message({ id, model }: PlannedAnswer, content: Block[], stop_reason: string | null, used: object): object {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    stop_sequence: null,
    usage: used,
  };
}

function stopReason({ stop }: PlannedAnswer): string {
  return { end: 'end_turn', tools: 'tool_use', length: 'max_tokens', refusal: 'refusal' }[stop];
}

/** Here the input leaves out what was read from the cache. */
function usage({ usage: { input, output, cached } }: PlannedAnswer): object {
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
    service_tier: 'standard',
  };
}
