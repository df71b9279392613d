import {
  anything,
  byField,
  dataUrl,
  dropped,
  fields,
  flag,
  isRecord,
  list,
  number,
  only,
  scalar,
  text,
  textOr,
  tools,
  type Rule,
} from '../rules.ts';
import type { LaneDialect } from './dialect.ts';
import { SMALL_QUESTION } from './small-question.ts';
import { count, member } from './usage-fields.ts';

const cacheControl = fields({ type: text, ttl: scalar });
const parts = list(
  byField('type', {
    text: fields({ type: text, text, cache_control: cacheControl }),
    refusal: fields({ type: text, refusal: text }),
    image_url: fields({ type: text, image_url: fields({ url: dataUrl, detail: text }), cache_control: cacheControl }),
  }),
);
const toolCall = byField(
  'type',
  {
    function: fields({
      type: text,
      id: text,
      index: number,
      function: fields({ name: text, arguments: text }),
      extra_content: anything,
    }),
    custom: fields({ type: text, id: text, index: number, custom: fields({ name: text, input: text }) }),
  },
  'function',
);

const CLIENT_TOOLS = new Map<unknown, Rule>([
  [
    'function',
    fields({ type: text, function: fields({ name: text, description: text, parameters: anything, strict: flag }) }),
  ],
  ['custom', fields({ type: text, custom: fields({ name: text, description: text, format: anything }) })],
]);

const body = fields({
  model: text,
  messages: list(
    fields({
      role: only('system', 'developer', 'user', 'assistant', 'tool'),
      content: textOr(parts),
      name: text,
      tool_calls: list(toolCall),
      tool_call_id: text,
      refusal: text,
      reasoning_content: text,
      reasoning: text,
      cache_control: cacheControl,
    }),
  ),
  tools: tools(
    ({ type }) => CLIENT_TOOLS.get(type) ?? null,
    ({ type }) => String(type),
  ),
  tool_choice: textOr(
    byField('type', {
      function: fields({ type: text, function: fields({ name: text }) }),
      custom: fields({ type: text, custom: fields({ name: text }) }),
    }),
  ),
  parallel_tool_calls: flag,
  max_tokens: number,
  max_completion_tokens: number,
  stream: flag,
  stream_options: fields({ include_usage: flag, include_obfuscation: flag }),
  temperature: number,
  top_p: number,
  frequency_penalty: number,
  presence_penalty: number,
  stop: textOr(list(text)),
  seed: number,
  n: only(1, null),
  response_format: anything,
  reasoning_effort: text,
  verbosity: text,
  prompt_cache_key: text,
  store: only(true, false, null),
  metadata: dropped,
  user: dropped,
  safety_identifier: dropped,
  service_tier: dropped,
});

/** OpenAI's `/v1/chat/completions`, which many services speak. */
export const openaiChat: LaneDialect = {
  name: 'openai-chat',
  keyVariables: ['OPENAI_API_KEY'],
  basePath: '/v1',
  route: (target) => (target === '/v1/chat/completions' ? { model: null, stream: null } : null),
  address: (base) => openaiAddress(base, '/chat/completions'),
  tokenOf: ({ authorization }) => bearer(authorization),
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  headersUp: () => ({}),
  body,
  force: (sent, injected) => {
    // Many services that speak this dialect do not know the field; left out, it is false.
    if (sent['store'] !== undefined) {
      delete sent['store'];
      injected.push('store: left out');
    }
    if (sent['stream'] !== true || member(sent, 'stream_options')['include_usage'] === true) return;
    // Without it a stream does not report its usage.
    sent['stream_options'] = { ...member(sent, 'stream_options'), include_usage: true };
    injected.push('stream_options.include_usage: true');
  },
  outputLimit: { paths: [['max_tokens'], ['max_completion_tokens']], minimum: 1 },
  // The provider's newer models refuse the older name; many others that speak this dialect know no other.
  limitPath: ({ hostname }) => (/(?:^|\.)openai\.com$/.test(hostname) ? ['max_completion_tokens'] : undefined),
  small: (model, stream) => ({
    target: '/v1/chat/completions',
    body: { model, messages: [{ role: 'user', content: SMALL_QUESTION }], stream: stream || undefined },
  }),
  errorBody: openaiError,
  budgetStatus: 402,
  readUsage: ({ usage: found }, usage) => {
    if (!isRecord(found) || typeof found['prompt_tokens'] !== 'number') return false;
    usage.inputTokens = count(found['prompt_tokens']);
    usage.cachedInputTokens = count(member(found, 'prompt_tokens_details')['cached_tokens']);
    usage.outputTokens = count(found['completion_tokens']);
    return true;
  },
  isFinal: ({ choices, object }) =>
    object === 'chat.completion' ||
    (Array.isArray(choices) &&
      choices.some((choice) => isRecord(choice) && typeof choice['finish_reason'] === 'string')),
};

/**
 * The address of an OpenAI service's method: its base may be an origin, end with the version, or be the method itself.
 */
export function openaiAddress(base: URL, method: string): URL {
  const path = base.pathname.replace(/(?:\/chat\/completions|\/responses)?\/*$/, '');
  return new URL(`${path === '' ? '/v1' : path}${method}`, base.origin);
}

export function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

export function openaiError(_status: number, message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}
