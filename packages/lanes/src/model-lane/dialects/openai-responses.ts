import {
  anything,
  byField,
  dataUrl,
  DROPPED,
  dropped,
  fields,
  flag,
  isRecord,
  list,
  notAllowed,
  number,
  only,
  scalar,
  shown,
  text,
  textOr,
  tools,
  type Rule,
} from '../rules.ts';
import type { LaneDialect } from './dialect.ts';
import { bearer, openaiAddress, openaiError } from './openai-chat.ts';
import { SMALL_QUESTION } from './small-question.ts';
import { count, member } from './usage-fields.ts';

const CLIENT_TOOLS = new Map<unknown, Rule>([
  [
    'function',
    fields({
      type: text,
      name: text,
      description: text,
      parameters: anything,
      output_schema: anything,
      strict: flag,
      defer_loading: flag,
    }),
  ],
  ['custom', fields({ type: text, name: text, description: text, format: anything, defer_loading: flag })],
  ['tool_search', fields({ type: text, execution: only('client'), description: text, parameters: anything })],
]);

/** Tools may hold tools: a namespace is what is left in it. */
const namespace: Rule = (value, path, notes) => {
  const kept = fields({ type: text, name: text, description: text, tools: toolList })(value, path, notes);
  return isRecord(kept) && Array.isArray(kept['tools']) && kept['tools'].length > 0 ? kept : DROPPED;
};
const judgeTool = (tool: Record<string, unknown>): Rule | null => {
  if (tool['type'] === 'namespace') return namespace;
  if (tool['type'] === 'tool_search' && tool['execution'] !== 'client') return null;
  return CLIENT_TOOLS.get(tool['type']) ?? null;
};
const MAX_NAMESPACES = 8;
const toolList: Rule = (value, path, notes) => {
  if (path.split('.tools').length > MAX_NAMESPACES) throw notAllowed(path, ': nested too deeply');
  return tools(judgeTool, ({ type }) => String(type))(value, path, notes);
};

const inputText = fields({ type: text, text });
const inputImage = fields({ type: text, image_url: dataUrl, detail: text });
const content = list(
  byField('type', {
    input_text: inputText,
    input_image: inputImage,
    output_text: fields({ type: text, text, annotations: list(anything), logprobs: list(anything) }),
    refusal: fields({ type: text, refusal: text }),
  }),
);
const output = textOr(list(byField('type', { input_text: inputText, input_image: inputImage })));
const message = fields({
  type: text,
  id: text,
  role: only('user', 'assistant', 'system', 'developer'),
  content: textOr(content),
  status: text,
  phase: text,
});

const item = byField(
  'type',
  {
    message,
    function_call: fields({
      type: text,
      id: text,
      call_id: text,
      name: text,
      namespace: text,
      arguments: text,
      status: text,
    }),
    function_call_output: fields({ type: text, id: text, call_id: text, output, status: text }),
    custom_tool_call: fields({
      type: text,
      id: text,
      call_id: text,
      name: text,
      namespace: text,
      input: text,
      status: text,
    }),
    custom_tool_call_output: fields({ type: text, id: text, call_id: text, name: text, output, status: text }),
    tool_search_call: fields({
      type: text,
      id: text,
      call_id: text,
      execution: only('client'),
      arguments: anything,
      status: text,
    }),
    tool_search_output: fields({
      type: text,
      id: text,
      call_id: text,
      execution: only('client'),
      tools: toolList,
      status: text,
    }),
    additional_tools: fields({ type: text, id: text, role: text, tools: toolList }),
    reasoning: fields({
      type: text,
      id: text,
      encrypted_content: text,
      status: text,
      summary: list(fields({ type: only('summary_text'), text })),
      content: textOr(list(fields({ type: only('reasoning_text', 'text'), text }))),
    }),
  },
  'message',
);

const KEPT_INCLUDE = 'reasoning.encrypted_content';
const include = list((value, path, notes) => {
  if (value === KEPT_INCLUDE) return value;
  notes.stripped.push(`${path}: ${shown(String(value))}`);
  return DROPPED;
});

const clientChoice = byField('type', {
  function: fields({ type: text, name: text }),
  custom: fields({ type: text, name: text }),
});

const body = fields({
  model: text,
  input: textOr(list(item)),
  instructions: text,
  tools: toolList,
  tool_choice: textOr(
    byField('type', {
      function: clientChoice,
      custom: clientChoice,
      allowed_tools: fields({ type: text, mode: text, tools: list(clientChoice) }),
    }),
  ),
  parallel_tool_calls: flag,
  reasoning: fields({ effort: text, summary: text, generate_summary: text, context: scalar }),
  text: fields({ verbosity: text, format: anything }),
  include,
  store: flag,
  stream: flag,
  stream_options: fields({ include_obfuscation: flag }),
  max_output_tokens: number,
  temperature: number,
  top_p: number,
  truncation: only('auto', 'disabled', null),
  prompt_cache_key: text,
  client_metadata: dropped,
  metadata: dropped,
  user: dropped,
  safety_identifier: dropped,
  service_tier: dropped,
});

const LITE = 'x-openai-internal-codex-responses-lite';
const ENDS = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed']);

/** OpenAI's `/v1/responses`, without anything that the service would keep. */
export const openaiResponses: LaneDialect = {
  name: 'openai-responses',
  keyVariables: ['OPENAI_API_KEY'],
  basePath: '/v1',
  route: (target) => (target === '/v1/responses' ? { model: null, stream: null } : null),
  address: (base) => openaiAddress(base, '/responses'),
  tokenOf: ({ authorization }) => bearer(authorization),
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  // Its one client says so that tools stand in the input.
  headersUp: ({ [LITE]: lite }): Record<string, string> => (lite === 'true' ? { [LITE]: lite } : {}),
  body,
  force: (sent, injected) => {
    if (sent['store'] === false) return;
    sent['store'] = false;
    injected.push('store: false');
  },
  outputLimit: { paths: [['max_output_tokens']], minimum: 16 },
  small: (model, stream) => ({
    target: '/v1/responses',
    body: { model, input: SMALL_QUESTION, stream: stream || undefined },
  }),
  errorBody: openaiError,
  // Its one client posts 402 again and again.
  budgetStatus: 400,
  readUsage: (event, usage) => {
    const found = isRecord(event['usage']) ? event['usage'] : member(event['response'], 'usage');
    if (typeof found['input_tokens'] !== 'number') return false;
    usage.inputTokens = count(found['input_tokens']);
    usage.cachedInputTokens = count(member(found, 'input_tokens_details')['cached_tokens']);
    usage.outputTokens = count(found['output_tokens']);
    return true;
  },
  isFinal: ({ type, object }) => ENDS.has(type) || object === 'response',
};
