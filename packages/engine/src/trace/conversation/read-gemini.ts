import { isRecord } from '@assay/lanes/model-lane/rules';
import type { Conversation, Message } from './conversation.ts';
import { offered, records, textOf, words } from './parts.ts';

/** Gemini's generateContent. */
export function readGemini(body: Record<string, unknown>): Conversation {
  const instruction = body['systemInstruction'] ?? body['system_instruction'];
  const system = textOf(isRecord(instruction) ? (instruction['parts'] ?? instruction) : instruction);
  const messages: Message[] = system === '' ? [] : [{ by: 'system', text: system }];
  const declarations = records(body['tools']).flatMap((tool) =>
    records(tool['functionDeclarations'] ?? tool['function_declarations']),
  );
  return {
    messages: [...messages, ...records(body['contents']).flatMap(readContent)],
    tools: declarations.map((tool) =>
      offered(words(tool['name']), tool['description'], tool['parametersJsonSchema'] ?? tool['parameters']),
    ),
  };
}

function readContent(content: Record<string, unknown>): Message[] {
  const parts = records(content['parts']);
  const text = textOf(parts.filter(({ thought }) => thought !== true));
  if (content['role'] === 'model') {
    const calls = parts
      .map(({ functionCall }) => functionCall)
      .filter(isRecord)
      .map((call) => ({ id: words(call['id']), name: words(call['name']), arguments: call['args'] ?? {} }));
    return [{ by: 'agent', text, calls }];
  }
  const results = parts
    .map(({ functionResponse }) => functionResponse)
    .filter(isRecord)
    .map((result): Message => ({
      by: 'tool',
      text: resultText(result['response']),
      callId: words(result['id']),
      name: words(result['name']),
    }));
  return text === '' ? results : [...results, { by: 'user', text }];
}

/** Clients put the text into one field of an object. */
function resultText(response: unknown): string {
  if (!isRecord(response)) return textOf(response);
  const values = Object.values(response);
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(response);
}
