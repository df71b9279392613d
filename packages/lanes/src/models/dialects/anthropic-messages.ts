import { z } from 'zod';
import type { Dialect } from './dialect.ts';

const VERSION = '2023-06-01';

const Answer = z.object({
  type: z.literal('message'),
  model: z.string().optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z.object({ input_tokens: z.number().default(0), output_tokens: z.number().default(0) }).nullish(),
});

/** Anthropic-compatible `/v1/messages`. */
export const anthropicMessages: Dialect = {
  name: 'Anthropic messages',
  keyVariable: 'ANTHROPIC_API_KEY',
  address: (base) => {
    const url = new URL(base);
    const path = base.pathname.replace(/\/+$/, '');
    if (!path.endsWith('/messages')) url.pathname = path.endsWith('/v1') ? `${path}/messages` : `${path}/v1/messages`;
    return url;
  },
  headers: (key) => ({ 'anthropic-version': VERSION, ...(key === undefined ? {} : { 'x-api-key': key }) }),
  body: (model, request, { noTemperature }) => ({
    model,
    max_tokens: request.maxTokens,
    temperature: noTemperature ? undefined : request.temperature,
    system: request.system,
    messages: [{ role: 'user', content: request.user }],
  }),
  readAnswer: (json) => {
    const answer = Answer.safeParse(json).data;
    if (answer === undefined) return null;
    if (answer.stop_reason === 'model_context_window_exceeded') return 'overflow';
    return {
      text: answer.content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : [])).join(''),
      stop: answer.stop_reason === 'refusal' ? 'refused' : answer.stop_reason === 'max_tokens' ? 'truncated' : 'end',
      servedBy: answer.model,
      usage: { inputTokens: answer.usage?.input_tokens ?? 0, outputTokens: answer.usage?.output_tokens ?? 0 },
    };
  },
};
