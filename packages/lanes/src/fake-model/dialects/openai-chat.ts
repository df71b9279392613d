import type { FakeDialect, OfferedTool, PlannedAnswer, PlannedCall, Step, StreamEvent } from '../contract.ts';
import { field, joined, list, numberOf, pieces, textOf } from '../json-access.ts';
import { openaiError } from './openai-error.ts';

/** `/chat/completions` */
export const openaiChat: FakeDialect = {
  name: 'openai-chat',
  match: (path) => (path.endsWith('/chat/completions') ? 'ask' : null),
  read: (body) => {
    const messages = list(field(body, 'messages'));
    const said = (...roles: string[]): string =>
      joined(
        messages
          .filter((message) => roles.includes(textOf(field(message, 'role'))))
          .map((message) => textOf(field(message, 'content'))),
      );
    const tools = field(body, 'tools');
    return {
      model: textOf(field(body, 'model')),
      streams: field(body, 'stream') === true,
      system: said('system', 'developer'),
      user: said('user'),
      conversation: messages.flatMap(readMessage),
      tools: Array.isArray(tools) ? tools.map(readTool) : null,
      schema:
        field(body, 'response_format', 'type') === 'json_schema'
          ? field(body, 'response_format', 'json_schema', 'schema')
          : undefined,
      temperature: numberOf(field(body, 'temperature')),
      maxTokens: numberOf(field(body, 'max_tokens')) ?? numberOf(field(body, 'max_completion_tokens')),
      wantsUsage: field(body, 'stream_options', 'include_usage') === true,
    };
  },
  whole: (answer) => ({
    ...head(answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.stop === 'refusal' || (answer.say === '' && answer.calls.length > 0) ? null : answer.say,
          refusal: answer.stop === 'refusal' ? answer.say : null,
          reasoning_content: answer.think || undefined,
          tool_calls: answer.calls.length === 0 ? undefined : answer.calls.map(toolCall),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      },
    ],
    usage: usage(answer),
  }),
  events: (answer, { chunk, minimal, wantsUsage }) => {
    const text = answer.stop === 'refusal' ? 'refusal' : 'content';
    const size = minimal ? Number.MAX_SAFE_INTEGER : chunk;
    const event = (delta: object, finish: string | null = null): StreamEvent => ({
      data: {
        ...head(answer, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        usage: wantsUsage ? null : undefined,
      },
    });
    return [
      ...(minimal ? [] : [event({ role: 'assistant', content: '' })]),
      ...(answer.think === '' ? [] : pieces(answer.think, size).map((piece) => event({ reasoning_content: piece }))),
      ...(answer.say === ''
        ? []
        : pieces(answer.say, size).map((piece): StreamEvent => ({ ...event({ [text]: piece }), isText: true }))),
      ...answer.calls.flatMap((call, index) => {
        const [first = '', ...others] = pieces(JSON.stringify(call.arguments), size);
        const opened = { index, id: call.id, type: 'function', function: { name: call.name, arguments: first } };
        return [
          event({ tool_calls: [opened] }),
          ...others.map((piece) => event({ tool_calls: [{ index, function: { arguments: piece } }] })),
        ];
      }),
      event({}, finishReason(answer)),
      ...(wantsUsage && !minimal
        ? [{ data: { ...head(answer, 'chat.completion.chunk'), choices: [], usage: usage(answer) } }]
        : []),
    ];
  },
  end: 'data: [DONE]\n\n',
  error: openaiError,
  errorEvent: (message) => ({ data: openaiError(500, message) }),
  count: (tokens) => ({ input_tokens: tokens }),
};

function toolCall({ id, name, arguments: values }: PlannedCall): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(values) } };
}

function readMessage(message: unknown): Step[] {
  const text = textOf(field(message, 'content'));
  switch (field(message, 'role')) {
    case 'assistant':
      return [
        { by: 'model', text, callIds: list(field(message, 'tool_calls')).map((call) => textOf(field(call, 'id'))) },
      ];
    case 'tool':
      return [{ by: 'tool', text, callIds: [textOf(field(message, 'tool_call_id'))] }];
    case 'user':
      return [{ by: 'user', text, callIds: [] }];
    default:
      return [];
  }
}

function readTool(tool: unknown): OfferedTool {
  const described = field(tool, 'function') ?? field(tool, 'custom') ?? tool;
  const type = field(tool, 'type');
  return {
    name: textOf(field(described, 'name')),
    kind: type === 'function' ? 'function' : type === 'custom' ? 'custom' : 'hosted',
    description: textOf(field(described, 'description')),
    parameters: field(described, 'parameters'),
  };
}

function head({ id, model }: PlannedAnswer, object: string): object {
  return { id: `chatcmpl-${id}`, object, created: 0, model, system_fingerprint: 'fake' };
}

function finishReason({ stop }: PlannedAnswer): string {
  return { end: 'stop', tools: 'tool_calls', length: 'length', refusal: 'stop' }[stop];
}

function usage({ usage: { input, output, cached, reasoning } }: PlannedAnswer): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
