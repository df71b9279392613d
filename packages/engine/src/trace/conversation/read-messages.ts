import type { Conversation, Message } from './conversation.ts';
import { offered, records, textOf, words } from './parts.ts';

/** Anthropic's messages. */
export function readMessages(body: Record<string, unknown>): Conversation {
  const system = textOf(body['system']);
  const messages: Message[] = system === '' ? [] : [{ by: 'system', text: system }];
  return {
    messages: [...messages, ...records(body['messages']).flatMap(readMessage)],
    tools: records(body['tools']).map((tool) =>
      offered(words(tool['name']), tool['description'], tool['input_schema']),
    ),
  };
}

function readMessage(message: Record<string, unknown>): Message[] {
  const content = message['content'];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : records(content);
  const text = textOf(blocks);
  if (message['role'] === 'system') return [{ by: 'system', text }];
  if (message['role'] === 'assistant') {
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({ id: words(block['id']), name: words(block['name']), arguments: block['input'] ?? {} }));
    return [{ by: 'agent', text, calls }];
  }
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map((block): Message => ({
      by: 'tool',
      text: textOf(block['content']),
      callId: words(block['tool_use_id']),
      name: '',
    }));
  return text === '' ? results : [...results, { by: 'user', text }];
}
