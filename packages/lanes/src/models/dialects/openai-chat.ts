import { z } from 'zod';
import type { Dialect } from './dialect.ts';

const Part = z.looseObject({ text: z.string().optional() });
const Answer = z.object({
  model: z.string().optional(),
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.union([z.string(), z.array(Part)]).nullish(), refusal: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number().default(0), completion_tokens: z.number().default(0) }).nullish(),
});

/** OpenAI-compatible `/chat/completions`. */
export const openaiChat: Dialect = {
  name: 'OpenAI chat',
  keyVariable: 'OPENAI_API_KEY',
  address: (base) => {
    const url = new URL(base);
    if (!url.pathname.endsWith('/chat/completions'))
      url.pathname = `${base.pathname.replace(/\/+$/, '')}/chat/completions`;
    return url;
  },
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: (model, request, { newTokenLimit, noTemperature }) => ({
    model,
    [newTokenLimit ? 'max_completion_tokens' : 'max_tokens']: request.maxTokens,
    temperature: noTemperature ? undefined : request.temperature,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: request.user },
    ],
  }),
  readAnswer: (json) => {
    const answer = Answer.safeParse(json).data;
    const choice = answer?.choices[0];
    if (answer === undefined || choice === undefined) return null;
    const { content, refusal } = choice.message;
    const refused = (refusal ?? '') !== '' || choice.finish_reason === 'content_filter';
    const cut = choice.finish_reason === 'length';
    return {
      text: typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join(''),
      stop: refused ? 'refused' : cut ? 'truncated' : 'end',
      servedBy: answer.model,
      usage: { inputTokens: answer.usage?.prompt_tokens ?? 0, outputTokens: answer.usage?.completion_tokens ?? 0 },
    };
  },
};
