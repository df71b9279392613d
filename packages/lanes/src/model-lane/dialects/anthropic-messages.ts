import {
  anything,
  byField,
  dropped,
  fields,
  flag,
  isRecord,
  list,
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
import { SMALL_QUESTION } from './small-question.ts';
import { count, member } from './usage-fields.ts';

const VERSION = '2023-06-01';

/** Beta features that change a format or a default. Others may run tools, or keep state, at the service. */
const BETAS = new Set([
  'claude-code-20250219',
  'context-1m-2025-08-07',
  'interleaved-thinking-2025-05-14',
  'thinking-token-count-2026-05-13',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'mid-conversation-system-2026-04-07',
  'effort-2025-11-24',
  'structured-outputs-2025-12-15',
  'structured-outputs-2025-11-13',
]);

const cacheControl = fields({ type: text, ttl: scalar, scope: scalar });
const textBlock = fields({ type: text, text, cache_control: cacheControl, citations: only(null) });
const imageBlock = fields({
  type: text,
  source: byField('type', { base64: fields({ type: text, media_type: text, data: text }) }),
  cache_control: cacheControl,
});

const block = byField('type', {
  text: textBlock,
  image: imageBlock,
  thinking: fields({ type: text, thinking: text, signature: text }),
  redacted_thinking: fields({ type: text, data: text }),
  tool_use: fields({ type: text, id: text, name: text, input: anything, cache_control: cacheControl }),
  tool_result: fields({
    type: text,
    tool_use_id: text,
    content: textOr(list(byField('type', { text: textBlock, image: imageBlock }))),
    is_error: flag,
    cache_control: cacheControl,
  }),
});

const clientTool = fields({
  type: only('custom'),
  name: text,
  description: text,
  input_schema: anything,
  cache_control: cacheControl,
  eager_input_streaming: flag,
  strict: flag,
});
const isClientTool = (tool: Record<string, unknown>): Rule | null =>
  tool['type'] === undefined || tool['type'] === 'custom' ? clientTool : null;

const body = fields({
  model: text,
  messages: list(fields({ role: only('user', 'assistant', 'system'), content: textOr(list(block)) })),
  system: textOr(list(byField('type', { text: textBlock }))),
  tools: tools(isClientTool, ({ type }) => String(type)),
  tool_choice: fields({ type: only('auto', 'any', 'tool', 'none'), name: text, disable_parallel_tool_use: flag }),
  metadata: dropped,
  service_tier: dropped,
  max_tokens: number,
  thinking: fields({ type: only('adaptive', 'enabled', 'disabled'), budget_tokens: number, display: text }),
  output_config: fields({ effort: text, format: fields({ type: only('json_schema'), schema: anything, name: text }) }),
  context_management: fields({ edits: list(fields({ type: only('clear_thinking_20251015'), keep: anything })) }),
  stream: flag,
  temperature: number,
  top_p: number,
  top_k: number,
  stop_sequences: list(text),
});

/** Anthropic's `/v1/messages`. */
export const anthropicMessages: LaneDialect = {
  name: 'anthropic-messages',
  keyVariables: ['ANTHROPIC_API_KEY'],
  basePath: '',
  route: (target) => (/^\/v1\/messages(?:\?beta=true)?$/.test(target) ? { model: null, stream: null } : null),
  address: (base, target) => {
    const path = base.pathname.replace(/(?:\/v1)?(?:\/messages)?\/*$/, '');
    return new URL(`${path}${target}`, base.origin);
  },
  tokenOf: (headers) => (typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : undefined),
  keyHeaders: (key) => ({ 'x-api-key': key }),
  headersUp: (headers, stripped) => {
    const version = headers['anthropic-version'];
    const asked = String(headers['anthropic-beta'] ?? '')
      .split(',')
      .map((value) => value.trim())
      .filter((value) => value !== '');
    const betas = asked.filter((value) => BETAS.has(value));
    for (const value of asked) if (!BETAS.has(value)) stripped.push(`anthropic-beta: ${shown(value)}`);
    return {
      'anthropic-version': typeof version === 'string' && /^\d{4}-\d\d-\d\d$/.test(version) ? version : VERSION,
      ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
    };
  },
  body,
  force: () => {},
  outputLimit: { paths: [['max_tokens']], minimum: 1 },
  small: (model, stream) => ({
    target: '/v1/messages',
    body: { model, messages: [{ role: 'user', content: SMALL_QUESTION }], stream: stream || undefined },
  }),
  errorBody: (_status, message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  budgetStatus: 402,
  readUsage: (event, usage) => {
    const found = isRecord(event['usage']) ? event['usage'] : member(event['message'], 'usage');
    const names = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
    if (names.some((name) => typeof found[name] === 'number')) {
      usage.cachedInputTokens = count(found['cache_read_input_tokens']);
      usage.cacheWriteTokens = count(found['cache_creation_input_tokens']);
      usage.inputTokens = count(found['input_tokens']) + usage.cachedInputTokens + usage.cacheWriteTokens;
    }
    // Cumulative.
    if (typeof found['output_tokens'] !== 'number') return false;
    usage.outputTokens = Math.max(usage.outputTokens, count(found['output_tokens']));
    // The one of the first event counts what has been written so far: nothing.
    return event['type'] !== 'message_start';
  },
  isFinal: ({ type }) => type === 'message_stop' || type === 'message',
};
