import type { ModelLaneEntry } from '@assay/lanes/model-lane/contract';
import { isRecord } from '@assay/lanes/model-lane/rules';
import type { AnsweredCall, ModelAnswer } from '@assay/lanes/model-lane/read-answer';
import type { TrajectoryMetrics, TrajectoryStep, TrajectoryToolCall } from '@assay/protocol';
import type { Conversation, Message, OfferedTool } from './conversation/conversation.ts';

/** A step without its number; `order` sorts it among those of all threads. */
export interface StepDraft {
  order: number;
  step: Omit<TrajectoryStep, 'step_id'>;
}

interface PlacedCall {
  call: TrajectoryToolCall;
  step: StepDraft;
  answered: boolean;
}

/** How many of the first characters tell one system prompt from another; some clients end theirs with what changes. */
const SYSTEM_START = 300;

/** One conversation of the agent with its model, put together from requests that each repeat it. */
export class Thread {
  readonly steps: StepDraft[] = [];
  readonly tools: OfferedTool[];
  readonly system: string;
  readonly firstOrder: number;
  lastOrder: number;
  model: string | null = null;
  /** Marks of the last request's messages in order, without the model's own. */
  #seen: string[] = [];
  readonly #known = new Set<string>();
  readonly #served = new Set<string>();
  readonly #calls = new Map<string, PlacedCall>();
  readonly #open: PlacedCall[] = [];

  constructor(conversation: Conversation, order: number) {
    this.tools = conversation.tools;
    this.system = leadingSystem(conversation);
    this.firstOrder = order;
    this.lastOrder = order;
  }

  /**
   * How many messages of this thread a request, with its {@link marksOf}, repeats in order; -1 when it is no
   * continuation of it.
   */
  continuedBy({ tools }: Conversation, marks: readonly string[]): number {
    if (this.tools.length > 0 !== tools.length > 0) return -1;
    if (this.#seen.length === 0 && marks.length > 0) return -1;
    return this.#seen.every((mark, index) => marks[index] === mark) ? this.#seen.length : -1;
  }

  /** Whether a request tells of calls of this thread: its history was rewritten then. */
  isQuotedBy({ messages, tools }: Conversation): boolean {
    if (this.tools.length > 0 !== tools.length > 0) return false;
    return messages.some(
      (message) =>
        (message.by === 'tool' && this.#calls.has(message.callId)) ||
        (message.by === 'agent' && message.calls.some(({ id }) => this.#calls.has(id))),
    );
  }

  /** Whether the other one is this one begun anew, as clients do when their context is full. */
  goesOnIn(other: Thread): boolean {
    const names = ({ tools }: Thread): string =>
      tools
        .map((tool) => tool.function.name)
        .sort()
        .join(' ');
    return (
      this.tools.length > 0 &&
      other.firstOrder > this.lastOrder &&
      names(this) === names(other) &&
      this.system.slice(0, SYSTEM_START) === other.system.slice(0, SYSTEM_START)
    );
  }

  /** Takes in what is new in a request. `repeated`: as {@link continuedBy} says, or -1 to go by what is known. */
  ask(conversation: Conversation, { repeated, order, time }: { repeated: number; order: number; time: string }): void {
    this.lastOrder = order;
    const add = (step: Omit<TrajectoryStep, 'step_id'>): StepDraft => {
      const draft = { order, step: { timestamp: time, ...step } };
      this.steps.push(draft);
      return draft;
    };
    if (this.steps.length === 0 && this.system !== '') add({ source: 'system', message: this.system });
    if (repeated < 0)
      add({ source: 'system', message: 'The client rewrote the conversation.', extra: { event: 'rewritten' } });
    let left = Math.max(repeated, 0);
    for (const message of withoutLeadingSystem(conversation)) {
      if (message.by === 'agent') {
        if (left === 0) this.#takeQuoted(message, add);
        continue;
      }
      const mark = markOf(message);
      if (left > 0) left -= 1;
      else if (repeated >= 0 || !this.#known.has(mark)) this.#take(message, add);
      this.#known.add(mark);
    }
    this.#seen = marksOf(conversation);
  }

  answer(answer: ModelAnswer, entry: ModelLaneEntry, order: number): void {
    this.lastOrder = order;
    this.model ??= entry.model;
    const { sequence, outcome, stripped, retries } = entry;
    const calls = answer.calls.map((call, index): TrajectoryToolCall => ({
      tool_call_id:
        call.id === '' || this.#calls.has(call.id) ? `${call.id || 'call'}-${sequence}-${index + 1}` : call.id,
      function_name: call.name,
      arguments: argumentsOf(call),
    }));
    const draft: StepDraft = {
      order,
      step: {
        timestamp: endOf(entry),
        source: 'agent',
        message: answer.text,
        ...(answer.servedBy === null && entry.model === null
          ? {}
          : { model_name: answer.servedBy ?? entry.model ?? '' }),
        ...(answer.reasoning === '' ? {} : { reasoning_content: answer.reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
        ...(entry.usage === null ? {} : { metrics: metricsOf(entry.usage) }),
        llm_call_count: 1,
        extra: {
          sequence,
          stop: answer.stop,
          duration_ms: entry.totalMs,
          ...(outcome === 'answered' ? {} : { outcome }),
          ...(stripped.length === 0 ? {} : { stripped }),
          ...(retries.length === 0 ? {} : { retries: retries.length }),
        },
      },
    };
    this.steps.push(draft);
    this.#place(calls, draft);
    this.#served.add(answer.text.trim());
    for (const call of answer.calls) this.#served.add(callMark(call));
  }

  /** The model's words as a client repeats them: known, or not of this model. */
  #takeQuoted(
    message: Extract<Message, { by: 'agent' }>,
    add: (step: Omit<TrajectoryStep, 'step_id'>) => StepDraft,
  ): void {
    const unknown = message.calls.filter((call) => !this.#isServed(call));
    const text = message.text.trim();
    const said = text === '' || [...this.#served].some((served) => served.includes(text));
    if (unknown.length === 0 && said) return;
    const calls = unknown.map((call, index): TrajectoryToolCall => ({
      tool_call_id: call.id === '' ? `copied-${this.steps.length + 1}-${index + 1}` : call.id,
      function_name: call.name,
      arguments: argumentsOf(call),
    }));
    const draft = add({
      source: 'agent',
      message: said ? '' : message.text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      is_copied_context: true,
      llm_call_count: 0,
      extra: { not_served: true },
    });
    this.#place(calls, draft);
    this.#served.add(text);
    for (const call of unknown) this.#served.add(callMark(call));
  }

  /** Some clients give a call an id of their own: then its name and arguments tell which it is. */
  #isServed(call: AnsweredCall): boolean {
    if (this.#calls.has(call.id)) return true;
    if (!this.#served.has(callMark(call))) return false;
    const wanted = JSON.stringify(argumentsOf(call));
    const placed = this.#open.find(
      ({ call: open, answered }) =>
        !answered && open.function_name === call.name && JSON.stringify(open.arguments) === wanted,
    );
    if (placed !== undefined && call.id !== '') this.#calls.set(call.id, placed);
    return true;
  }

  #take(message: Exclude<Message, { by: 'agent' }>, add: (step: Omit<TrajectoryStep, 'step_id'>) => StepDraft): void {
    if (message.by !== 'tool') {
      add({ source: message.by, message: message.text });
      return;
    }
    const { callId, name, text } = message;
    const placed =
      this.#calls.get(callId) ??
      this.#open.find(({ call, answered }) => !answered && (name === '' || call.function_name === name));
    if (placed?.answered === true) return;
    if (placed === undefined) {
      add({
        source: 'system',
        message: 'The result of a call that the model did not make.',
        observation: { results: [{ content: text }] },
        extra: { event: 'unasked-result' },
      });
      return;
    }
    placed.answered = true;
    const { step } = placed.step;
    step.observation ??= { results: [] };
    step.observation.results.push({ source_call_id: placed.call.tool_call_id, content: text });
  }

  #place(calls: TrajectoryToolCall[], step: StepDraft): void {
    for (const call of calls) {
      const placed = { call, step, answered: false };
      this.#calls.set(call.tool_call_id, placed);
      this.#open.push(placed);
    }
  }
}

function leadingSystem({ messages }: Conversation): string {
  const end = messages.findIndex(({ by }) => by !== 'system');
  return messages
    .slice(0, end === -1 ? messages.length : end)
    .map(({ text }) => text)
    .join('\n\n');
}

function withoutLeadingSystem({ messages }: Conversation): Message[] {
  const start = messages.findIndex(({ by }) => by !== 'system');
  return start === -1 ? [] : messages.slice(start);
}

/** Returns marks that tell the messages of a conversation apart. The model's own messages have none. */
export const marksOf = (conversation: Conversation): string[] =>
  withoutLeadingSystem(conversation).flatMap((message) => (message.by === 'agent' ? [] : [markOf(message)]));

function markOf(message: Exclude<Message, { by: 'agent' }>): string {
  return message.by === 'tool' && message.callId !== '' ? `tool ${message.callId}` : `${message.by} ${message.text}`;
}

const callMark = (call: AnsweredCall): string => `call ${call.name} ${JSON.stringify(argumentsOf(call))}`;

const argumentsOf = ({ arguments: given }: AnsweredCall): Record<string, unknown> =>
  isRecord(given) ? given : { input: given };

function metricsOf({
  inputTokens,
  outputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  usd,
  estimated,
}: NonNullable<ModelLaneEntry['usage']>): TrajectoryMetrics {
  const extra = {
    ...(cacheWriteTokens === 0 ? {} : { cache_write_tokens: cacheWriteTokens }),
    ...(estimated ? { estimated } : {}),
  };
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    cached_tokens: cachedInputTokens,
    ...(usd === null ? {} : { cost_usd: usd }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function endOf({ time, totalMs }: ModelLaneEntry): string {
  const end = new Date(Date.parse(time) + totalMs);
  return Number.isNaN(end.getTime()) ? time : end.toISOString();
}
