import type { Conversation, Message, OfferedTool } from './conversation.ts';
import { offered, parseArguments, records, textOf, words } from './parts.ts';

/** OpenAI's responses. */
export function readResponses(body: Record<string, unknown>): Conversation {
  const input = body['input'];
  const instructions = words(body['instructions']);
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : records(input);
  const messages: Message[] = instructions === '' ? [] : [{ by: 'system', text: instructions }];
  return {
    messages: [...messages, ...items.flatMap(readItem)],
    tools: [body, ...items].flatMap((holder) => readTools(holder['tools'], '')),
  };
}

function readItem(item: Record<string, unknown>): Message[] {
  const type = words(item['type']);
  const callId = words(item['call_id']);
  if (type === 'function_call' || type === 'custom_tool_call') {
    return [
      {
        by: 'agent',
        text: '',
        calls: [
          { id: callId, name: words(item['name']), arguments: parseArguments(item['arguments'] ?? item['input']) },
        ],
      },
    ];
  }
  if (type.endsWith('_call_output'))
    return [{ by: 'tool', text: textOf(item['output']), callId, name: words(item['name']) }];
  const text = textOf(item['content']);
  switch (item['role']) {
    case 'assistant':
      return [{ by: 'agent', text, calls: [] }];
    case 'user':
      return [{ by: 'user', text }];
    case 'system':
    case 'developer':
      return text === '' ? [] : [{ by: 'system', text }];
    default:
      return [];
  }
}

/** Namespaces hold tools of their own. */
function readTools(tools: unknown, namespace: string): OfferedTool[] {
  return records(tools).flatMap((tool) => {
    const name = words(tool['name']) || words(tool['type']);
    if (tool['type'] === 'namespace') return readTools(tool['tools'], name);
    return [offered(namespace === '' ? name : `${namespace}.${name}`, tool['description'], tool['parameters'])];
  });
}
