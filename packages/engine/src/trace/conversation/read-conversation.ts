import type { ModelDialect, ModelLaneEntry } from '@assay/lanes/model-lane/contract';
import { isRecord } from '@assay/lanes/model-lane/rules';
import type { Conversation } from './conversation.ts';
import { readChat } from './read-chat.ts';
import { readGemini } from './read-gemini.ts';
import { readMessages } from './read-messages.ts';
import { readResponses } from './read-responses.ts';

const READERS: Record<ModelDialect, (body: Record<string, unknown>) => Conversation> = {
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'anthropic-messages': readMessages,
  gemini: readGemini,
};

/** Reads the request of a recorded exchange; null when there is none on record. Leaves malformed parts out. */
export function readConversation({
  dialect,
  request,
}: Pick<ModelLaneEntry, 'dialect' | 'request'>): Conversation | null {
  return dialect === null || !isRecord(request.body) ? null : READERS[dialect](request.body);
}
