import assert from 'node:assert/strict';
import { LANE_DIALECTS } from './dialects/lane-dialects.ts';
import type { ModelDialect } from './contract.ts';
import { filterRequest, limitOutput, type FilteredRequest } from './filter-request.ts';
import { Refusal } from './rules.ts';

const PATHS: Record<ModelDialect, string> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
  gemini: '/v1beta/models/m:streamGenerateContent?alt=sse',
};

export function filter(
  name: ModelDialect,
  body: unknown,
  outputLimit: number | null = null,
  base = 'http://127.0.0.1/v1',
): FilteredRequest {
  const dialect = LANE_DIALECTS[name];
  const filtered = filterRequest(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), {
    dialect,
    route: dialect.route(PATHS[name]) ?? assert.fail(),
    models: ['m'],
  });
  if (outputLimit !== null) limitOutput(filtered, dialect, outputLimit, new URL(base));
  return filtered;
}
export const refuses = (name: ModelDialect, body: unknown, pattern: RegExp): void => {
  assert.throws(
    () => filter(name, body),
    (error) => error instanceof Refusal && pattern.test(error.message),
    `${JSON.stringify(body).slice(0, 200)} ${String(pattern)}`,
  );
};

export const CHAT = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
export const RESPONSES = { model: 'm', input: 'x', store: false };
export const MESSAGES = { model: 'm', max_tokens: 64_000, messages: [{ role: 'user', content: 'x' }] };
export const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'x' }] }] };
export const IMAGE = 'data:image/png;base64,AAAA';
