import type { ModelDialect, ModelLaneEntry } from './contract.ts';
import { member } from './dialects/usage-fields.ts';
import { EventReader } from './event-reader.ts';
import { isRecord } from './rules.ts';

export interface AnsweredCall {
  id: string;
  name: string;
  /** An object when the model wrote JSON, else its text. */
  arguments: unknown;
}

/** One answer of a model, independent of the dialect. */
export interface ModelAnswer {
  text: string;
  reasoning: string;
  calls: AnsweredCall[];
  /** The dialect's word for why it ended; null when the answer has no end. */
  stop: string | null;
  /** The name that the service gives to the model. */
  servedBy: string | null;
}

/**
 * The answer in an entry of the record, as far as it came; null when the entry holds none. Malformed parts are left
 * out.
 */
export function readAnswer({
  dialect,
  stream,
  outcome,
  response,
}: Pick<ModelLaneEntry, 'dialect' | 'stream' | 'outcome' | 'response'>): ModelAnswer | null {
  if (dialect === null || response === null || outcome === 'upstream-refused') return null;
  const answer: Draft = { text: '', reasoning: '', calls: [], stop: null, servedBy: null, pieces: new Map() };
  const read = READERS[dialect];
  if (stream) {
    const reader = new EventReader((event) => read(answer, event));
    reader.push(Buffer.from(response.text));
    reader.end();
  } else {
    const whole = parse(response.text);
    if (isRecord(whole)) read(answer, whole);
  }
  const { text, reasoning, calls, stop, servedBy } = answer;
  return {
    text,
    reasoning,
    calls: calls.map((call) => ({ ...call, arguments: parseArguments(call.arguments) })),
    stop,
    servedBy,
  };
}

interface Draft extends ModelAnswer {
  /** Calls whose arguments come in pieces, by their place in the answer. */
  pieces: Map<unknown, AnsweredCall>;
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const records = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const READERS: Record<ModelDialect, (answer: Draft, event: Record<string, unknown>) => void> = {
  'openai-chat': readChat,
  'openai-responses': readResponses,
  'anthropic-messages': readMessages,
  gemini: readGemini,
};

function readChat(answer: Draft, event: Record<string, unknown>): void {
  answer.servedBy ??= words(event['model']) || null;
  const [choice] = records(event['choices']);
  if (choice === undefined) return;
  const said = isRecord(choice['delta']) ? choice['delta'] : member(choice, 'message');
  answer.text += words(said['content']);
  answer.reasoning += words(said['reasoning_content']) || words(said['reasoning']);
  for (const [place, piece] of records(said['tool_calls']).entries()) {
    const called = isRecord(piece['custom']) ? piece['custom'] : member(piece, 'function');
    const call = pieceOf(answer, piece['index'] ?? place, words(piece['id']), words(called['name']));
    call.arguments = words(call.arguments) + (words(called['arguments']) || words(called['input']));
  }
  answer.stop = words(choice['finish_reason']) || answer.stop;
}

function readResponses(answer: Draft, event: Record<string, unknown>): void {
  const response = event['object'] === 'response' ? event : member(event, 'response');
  answer.servedBy ??= words(response['model']) || null;
  if (event['type'] === 'response.output_item.done') readItem(answer, member(event, 'item'));
  if (
    !/^(?:completed|incomplete|failed)$/.test(words(response['status'])) &&
    !/^response\.(?:completed|incomplete|failed)$/.test(words(event['type']))
  )
    return;
  answer.stop = words(response['status']) || words(event['type']).replace('response.', '');
  // The last event may repeat what earlier ones said.
  if (answer.text === '' && answer.reasoning === '' && answer.calls.length === 0)
    for (const item of records(response['output'])) readItem(answer, item);
}

function readItem(answer: Draft, item: Record<string, unknown>): void {
  if (item['type'] === 'message')
    answer.text += records(item['content'])
      .map((part) => words(part['text']) || words(part['refusal']))
      .join('');
  if (item['type'] === 'reasoning')
    answer.reasoning += [...records(item['summary']), ...records(item['content'])]
      .map((part) => words(part['text']))
      .join('\n');
  if (item['type'] === 'function_call')
    answer.calls.push({ id: words(item['call_id']), name: words(item['name']), arguments: words(item['arguments']) });
  if (item['type'] === 'custom_tool_call')
    answer.calls.push({ id: words(item['call_id']), name: words(item['name']), arguments: words(item['input']) });
}

function readMessages(answer: Draft, event: Record<string, unknown>): void {
  const start = event['type'] === 'message' ? event : member(event, 'message');
  answer.servedBy ??= words(start['model']) || null;
  for (const [place, block] of records(event['type'] === 'message' ? event['content'] : []).entries())
    startBlock(answer, place, block);
  if (event['type'] === 'content_block_start') startBlock(answer, event['index'], member(event, 'content_block'));
  const delta = member(event, 'delta');
  answer.text += words(delta['text']);
  answer.reasoning += words(delta['thinking']);
  const call = answer.pieces.get(event['index']);
  if (call !== undefined && typeof delta['partial_json'] === 'string')
    call.arguments = words(call.arguments) + delta['partial_json'];
  answer.stop = words(delta['stop_reason']) || words(event['stop_reason']) || answer.stop;
}

function startBlock(answer: Draft, place: unknown, block: Record<string, unknown>): void {
  answer.text += words(block['text']);
  answer.reasoning += words(block['thinking']);
  if (block['type'] !== 'tool_use') return;
  const call = pieceOf(answer, place, words(block['id']), words(block['name']));
  // A stream begins with an empty input and sends it in pieces.
  if (isRecord(block['input']) && Object.keys(block['input']).length > 0)
    call.arguments = JSON.stringify(block['input']);
}

function readGemini(answer: Draft, event: Record<string, unknown>): void {
  answer.servedBy ??= words(event['modelVersion']) || null;
  const [candidate] = records(event['candidates']);
  if (candidate === undefined) return;
  for (const part of records(member(candidate, 'content')['parts'])) {
    if (part['thought'] === true) answer.reasoning += words(part['text']);
    else answer.text += words(part['text']);
    const call = part['functionCall'];
    if (isRecord(call))
      answer.calls.push({ id: words(call['id']), name: words(call['name']), arguments: call['args'] ?? {} });
  }
  answer.stop = words(candidate['finishReason']) || answer.stop;
}

function pieceOf(answer: Draft, place: unknown, id: string, name: string): AnsweredCall {
  const known = answer.pieces.get(place);
  if (known !== undefined) return known;
  const call: AnsweredCall = { id, name, arguments: '' };
  answer.pieces.set(place, call);
  answer.calls.push(call);
  return call;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value === '') return {};
  const parsed = parse(value);
  return isRecord(parsed) ? parsed : value;
}
