import type { FakeDialect } from '../contract.ts';
import { anthropicMessages } from './anthropic-messages.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

/** Every dialect that the fake model speaks, told by the end of the path. */
export const FAKE_DIALECTS: readonly FakeDialect[] = [openaiChat, openaiResponses, anthropicMessages, gemini];
