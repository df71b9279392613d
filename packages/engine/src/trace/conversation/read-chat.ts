import { isRecord } from '@assay/lanes/model-lane/rules';
import type { Conversation, Message } from './conversation.ts';
import { offered, parseArguments, records, textOf, words } from './parts.ts';

/** OpenAI's chat completions. */
export function readChat(body: Record<string, unknown>): Conversation {
  return { messages: records(body['messages']).map(readMessage), tools: records(body['tools']).map(readTool) };
}

function readMessage(message: Record<string, unknown>): Message {
  const text = textOf(message['content']);
  switch (message['role']) {
    case 'system':
    case 'developer':
      return { by: 'system', text };
    case 'tool':
    case 'function':
      return { by: 'tool', text, callId: words(message['tool_call_id']), name: words(message['name']) };
    case 'assistant':
      return { by: 'agent', text, calls: records(message['tool_calls']).map(readCall) };
    default:
      return { by: 'user', text };
  }
}

function readCall(call: Record<string, unknown>): { id: string; name: string; arguments: unknown } {
  const called = [call['function'], call['custom']].find(isRecord) ?? {};
  return {
    id: words(call['id']),
    name: words(called['name']),
    arguments: parseArguments(called['arguments'] ?? called['input']),
  };
}

function readTool(tool: Record<string, unknown>): ReturnType<typeof offered> {
  const described = [tool['function'], tool['custom']].find(isRecord) ?? tool;
  return offered(words(described['name']), described['description'], described['parameters']);
}
