import type { FakeDialect, OfferedTool, PlannedAnswer, PlannedCall, Step, StreamEvent } from '../contract.ts';
import { field, joined, list, numberOf, pieces, textOf } from '../json-access.ts';
import { openaiError } from './openai-error.ts';

/** `/responses` */
export const openaiResponses: FakeDialect = {
  name: 'openai-responses',
  match: (path) => (path.endsWith('/responses') ? 'ask' : null),
  read: (body) => {
    const given = field(body, 'input');
    const items = typeof given === 'string' ? [{ role: 'user', content: given }] : list(given);
    const said = (...roles: string[]): string[] =>
      items.filter((item) => roles.includes(textOf(field(item, 'role')))).map((item) => textOf(field(item, 'content')));
    const tools = [body, ...items].map((holder) => field(holder, 'tools')).filter((found) => Array.isArray(found));
    return {
      model: textOf(field(body, 'model')),
      streams: field(body, 'stream') === true,
      system: joined([textOf(field(body, 'instructions')), ...said('system', 'developer')]),
      user: joined(said('user')),
      conversation: items.flatMap(readItem),
      tools: tools.length === 0 ? null : tools.flatMap((found) => readTools(found, undefined)),
      schema:
        field(body, 'text', 'format', 'type') === 'json_schema' ? field(body, 'text', 'format', 'schema') : undefined,
      temperature: numberOf(field(body, 'temperature')),
      maxTokens: numberOf(field(body, 'max_output_tokens')),
      wantsUsage: true,
    };
  },
  whole: (answer) => response(answer, true),
  events: (answer, { chunk, minimal }) => {
    if (minimal)
      return [
        ...items(answer).map((item) => ({ data: { type: 'response.output_item.done', item } })),
        { data: { type: 'response.completed', response: { id: `resp_${answer.id}` } } },
      ];
    const told = [
      { type: 'response.created', response: response(answer, false) },
      { type: 'response.in_progress', response: response(answer, false) },
      ...items(answer).flatMap((item, index) => itemEvents(item, index, chunk)),
      {
        type: answer.stop === 'length' ? 'response.incomplete' : 'response.completed',
        response: response(answer, true),
      },
    ];
    return told.map((data, index): StreamEvent => ({
      event: data.type,
      data: { ...data, sequence_number: index },
      isText: data.type === 'response.output_text.delta',
    }));
  },
  end: null,
  error: openaiError,
  errorEvent: (message) => ({
    event: 'error',
    data: { type: 'error', code: 'server_error', message, param: null, sequence_number: 0 },
  }),
  count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};

const OWN = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'reasoning']);

function readItem(item: unknown): Step[] {
  const type = textOf(field(item, 'type'));
  const callIds = [textOf(field(item, 'call_id'))].filter((id) => id !== '');
  if (OWN.has(type)) return [{ by: 'model', text: '', callIds }];
  if (type.endsWith('_call_output')) return [{ by: 'tool', text: textOf(field(item, 'output')), callIds }];
  const text = textOf(field(item, 'content'));
  const role = field(item, 'role');
  if (role === 'assistant') return [{ by: 'model', text, callIds: [] }];
  return role === 'user' ? [{ by: 'user', text, callIds: [] }] : [];
}

function readTools(tools: unknown, namespace: string | undefined): OfferedTool[] {
  return list(tools).flatMap((tool): OfferedTool[] => {
    const type = textOf(field(tool, 'type'));
    const name = textOf(field(tool, 'name'));
    if (type === 'namespace') return readTools(field(tool, 'tools'), name);
    const kind = type === 'custom' ? 'custom' : type === 'function' ? 'function' : 'hosted';
    return [
      {
        name: name === '' ? type : name,
        kind,
        description: textOf(field(tool, 'description')),
        parameters: field(tool, 'parameters'),
        namespace,
      },
    ];
  });
}

type Item = Record<string, unknown> & { type: string; id: string };

function items({ id, think, say, calls, stop }: PlannedAnswer): Item[] {
  const part =
    stop === 'refusal'
      ? { type: 'refusal', refusal: say }
      : { type: 'output_text', text: say, annotations: [], logprobs: [] };
  return [
    ...(think === ''
      ? []
      : [
          {
            id: `rs_${id}`,
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: think }],
            encrypted_content: Buffer.from(think).toString('base64'),
          },
        ]),
    ...(say === '' && calls.length > 0
      ? []
      : [{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content: [part] }]),
    ...calls.map(callItem),
  ];
}

function callItem({ id, kind, name, namespace, arguments: values, input }: PlannedCall): Item {
  const shared = { status: 'completed', call_id: id, name, namespace };
  if (kind === 'custom') return { id: `ctc_${id}`, type: 'custom_tool_call', ...shared, input };
  return { id: `fc_${id}`, type: 'function_call', ...shared, arguments: JSON.stringify(values) };
}

type Told = Record<string, unknown> & { type: string };

function itemEvents(item: Item, output_index: number, chunk: number): Told[] {
  const at = { item_id: item.id, output_index };
  const begun = {
    ...item,
    status: 'in_progress',
    content: 'content' in item ? [] : undefined,
    summary: 'summary' in item ? [] : undefined,
    arguments: 'arguments' in item ? '' : undefined,
    input: 'input' in item ? '' : undefined,
  };
  return [
    { type: 'response.output_item.added', output_index, item: begun },
    ...inner(item, at, chunk),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function inner(item: Item, at: object, chunk: number): Told[] {
  const deltas = (type: string, text: string, others: object = at): Told[] =>
    pieces(text, chunk).map((delta) => ({ type: `${type}.delta`, ...others, delta }));
  if (item.type === 'function_call') {
    const whole = textOf(item['arguments']);
    return [
      ...deltas('response.function_call_arguments', whole),
      { type: 'response.function_call_arguments.done', ...at, name: item['name'], arguments: whole },
    ];
  }
  if (item.type === 'custom_tool_call') {
    const input = textOf(item['input']);
    return [
      ...deltas('response.custom_tool_call_input', input),
      { type: 'response.custom_tool_call_input.done', ...at, input },
    ];
  }
  if (item.type === 'reasoning') {
    const [part] = list(item['summary']);
    const place = { ...at, summary_index: 0 };
    return [
      { type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } },
      ...deltas('response.reasoning_summary_text', textOf(field(part, 'text')), place),
      { type: 'response.reasoning_summary_text.done', ...place, text: textOf(field(part, 'text')) },
      { type: 'response.reasoning_summary_part.done', ...place, part },
    ];
  }
  const [part] = list(item['content']);
  const place = { ...at, content_index: 0 };
  const name = field(part, 'type') === 'refusal' ? 'refusal' : 'text';
  const text = textOf(field(part, name));
  const type = name === 'refusal' ? 'response.refusal' : 'response.output_text';
  return [
    {
      type: 'response.content_part.added',
      ...place,
      part:
        name === 'refusal'
          ? { type: 'refusal', refusal: '' }
          : { type: 'output_text', text: '', annotations: [], logprobs: [] },
    },
    ...deltas(type, text, name === 'refusal' ? place : { ...place, logprobs: [] }),
    { type: `${type}.done`, ...place, [name]: text, logprobs: name === 'refusal' ? undefined : [] },
    { type: 'response.content_part.done', ...place, part },
  ];
}

function response(answer: PlannedAnswer, isDone: boolean): object {
  const { id, model, stop, usage } = answer;
  const cut = isDone && stop === 'length';
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    status: isDone ? (cut ? 'incomplete' : 'completed') : 'in_progress',
    error: null,
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    model,
    output: isDone ? items(answer) : [],
    parallel_tool_calls: true,
    store: false,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: isDone
      ? {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cached },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: usage.reasoning },
          total_tokens: usage.input + usage.output,
        }
      : null,
  };
}
