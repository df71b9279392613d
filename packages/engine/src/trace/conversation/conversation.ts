import type { AnsweredCall } from '@assay/lanes/model-lane/read-answer';

/** One thing that a request repeats of what was said before. */
export type Message =
  | { by: 'system' | 'user'; text: string }
  | { by: 'agent'; text: string; calls: AnsweredCall[] }
  /** `callId` is empty where the client leaves it out, and `name` where the dialect does. */
  | { by: 'tool'; text: string; callId: string; name: string };

/** A tool that a request offers, as OpenAI describes functions. */
export interface OfferedTool {
  type: 'function';
  function: { name: string; description?: string; parameters?: unknown };
}

/** The content of a request, the same for all dialects. */
export interface Conversation {
  messages: Message[];
  tools: OfferedTool[];
}
