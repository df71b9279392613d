import { MODEL_DIALECTS, type ModelDialect } from '../contract.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import type { LaneDialect } from './dialect.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

export const LANE_DIALECTS: Readonly<Record<ModelDialect, LaneDialect>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
};

/** Guesses the dialects of a service from its address. */
export function guessDialects({ hostname, pathname }: URL): ModelDialect[] {
  const path = pathname.replace(/\/+$/, '');
  if (/\/messages$|\/anthropic(?:\/v1)?$/.test(path) || /(?:^|\.)anthropic\.com$/.test(hostname))
    return ['anthropic-messages'];
  if (/\/v1beta$/.test(path) || /(?:^|\.)googleapis\.com$/.test(hostname)) return ['gemini'];
  return ['openai-chat', 'openai-responses'];
}

export const isModelDialect = (name: string): name is ModelDialect => MODEL_DIALECTS.some((known) => known === name);
