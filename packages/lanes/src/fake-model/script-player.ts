import { randomBytes } from 'node:crypto';
import { sha256 } from '@assay/files/content-digest';
import { adaptCall, NoToolError } from './adapt-call.ts';
import type { FakeModelRequest, FakeReply, FakeResponder, OfferedTool, PlannedAnswer, Step } from './contract.ts';
import { joined } from './json-access.ts';
import { schemaInstance } from './schema-instance.ts';
import { checkScript, type FakeModelScript, type ScriptEntry } from './script.ts';

/** How many conversations are remembered of which a fault was shown. */
const MAX_REMEMBERED = 10_000;
/** Told apart by these where the client sends one. */
const SESSIONS = ['x-claude-code-session-id', 'session-id', 'x-session-id', 'x-session-affinity'];
/**
 * The number of the next turn stands in the ids of calls, so that a conversation tells where it is, whatever else is in
 * it.
 */
const MARK = /^(?:call|toolu)_[0-9a-f]{8}t(\d+)c\d+$/;
const LAST: ScriptEntry = checkEntry({ say: 'Done.' });

interface Slot {
  /** Shown one after the other to whoever asks for this turn. */
  faults: ScriptEntry[];
  entry: ScriptEntry;
  number: number;
}

/** Answers as a script says. Holds no more of a conversation than how often it was answered with a fault. */
export function playScript(script: FakeModelScript): FakeResponder {
  const rules = script.turns.flatMap((entry, index) =>
    entry.when === undefined ? [] : [{ entry, number: index + 1, left: left(entry.repeat ?? 'always') }],
  );
  const ordered = upToEndless(
    script.turns.map((entry, index) => ({ entry, number: index + 1 })).filter(({ entry }) => entry.when === undefined),
    script.order,
  );
  const slots =
    script.order === 'conversation'
      ? slotsOf(ordered)
      : ordered.flatMap(({ entry, number }) => times(entry.repeat, { faults: [], entry, number }));
  const seen = new Map<string, number>();
  let served = 0;

  return (request) => {
    const position = script.order === 'requests' ? served : positionOf(request.conversation, slots);
    const rule = rules.find(({ entry, left: uses }) => uses > 0 && matches(entry, request));
    if (rule !== undefined) {
      rule.left -= 1;
      return replyWith(rule.entry, rule.number, position, request);
    }
    const slot = slots[Math.min(position, slots.length - 1)];
    const current =
      slot !== undefined && (position < slots.length || slot.entry.repeat === 'always')
        ? slot
        : { faults: [], entry: LAST, number: 0 };
    if (script.sideRequests && isSideRequest(request, current.entry))
      return replyWith(sideEntry(request), 'side', position, request);
    served += 1;
    const fault =
      current.faults.length === 0
        ? undefined
        : (current.faults[attemptOf(request, seen)] ??
          (current.faults.at(-1)?.repeat === 'always' ? current.faults.at(-1) : undefined));
    const number = fault === undefined ? current.number : script.turns.indexOf(fault) + 1;
    return replyWith(fault ?? current.entry, number, position + 1, request);
  };
}

function left(repeat: number | 'always'): number {
  return repeat === 'always' ? Number.POSITIVE_INFINITY : repeat;
}

/** Nothing comes after what is said for ever. */
function upToEndless<Item extends { entry: ScriptEntry }>(ordered: Item[], order: FakeModelScript['order']): Item[] {
  const end = ordered.findIndex(
    ({ entry }) => entry.repeat === 'always' && (entry.fault === undefined || order === 'requests'),
  );
  return end === -1 ? ordered : ordered.slice(0, end + 1);
}

function times<Item>(repeat: number | 'always' | undefined, item: Item): Item[] {
  return Array.from({ length: typeof repeat === 'number' ? repeat : 1 }, () => item);
}

function slotsOf(ordered: { entry: ScriptEntry; number: number }[]): Slot[] {
  const slots: Slot[] = [];
  let faults: ScriptEntry[] = [];
  for (const { entry, number } of ordered) {
    if (entry.fault !== undefined) {
      faults.push(...times(entry.repeat, entry));
    } else {
      slots.push({ faults, entry, number }, ...times(entry.repeat, { faults: [], entry, number }).slice(1));
      faults = [];
    }
  }
  return faults.length === 0 ? slots : [...slots, { faults, entry: LAST, number: 0 }];
}

/** How many turns of the script a conversation holds. What a client put into the model's mouth does not count. */
function positionOf(conversation: readonly Step[], slots: readonly Slot[]): number {
  let position = 0;
  let isCounted = false;
  for (const { by, text, callIds } of conversation) {
    if (by !== 'model') {
      isCounted = false;
      continue;
    }
    const marked = callIds.map((id) => MARK.exec(id)?.[1]).find((mark) => mark !== undefined);
    const said = slots[Math.min(position, slots.length - 1)]?.entry.say.trim() ?? '';
    if (marked !== undefined) position = Number(marked);
    else if (!isCounted && (callIds.length > 0 || (said !== '' && text.includes(said)))) position += 1;
    else continue;
    isCounted = true;
  }
  return position;
}

function attemptOf({ dialect, model, conversation, headers }: FakeModelRequest, seen: Map<string, number>): number {
  const key = sha256(JSON.stringify([dialect, model, SESSIONS.map((name) => headers[name]), conversation]));
  const attempt = seen.get(key) ?? 0;
  seen.delete(key);
  seen.set(key, attempt + 1);
  const [oldest] = seen.keys();
  if (seen.size > MAX_REMEMBERED && oldest !== undefined) seen.delete(oldest);
  return attempt;
}

function matches({ when = {} }: ScriptEntry, request: FakeModelRequest): boolean {
  const since = sinceLastAnswer(request.conversation);
  const holds = (part: string | undefined, whole: string): boolean => part === undefined || whole.includes(part);
  const same = <Value>(wanted: Value | undefined, value: Value): boolean => wanted === undefined || wanted === value;
  return (
    same(when.dialect, request.dialect) &&
    same(when.model, request.model) &&
    same(when.streams, request.streams) &&
    same(when.tools, clientTools(request).length > 0) &&
    same(when.request, request.index + 1) &&
    holds(when.system, request.system) &&
    holds(when.contains, joined(since.map(({ text }) => text))) &&
    (when.toolResult === undefined ||
      holds(when.toolResult, joined(since.filter(({ by }) => by === 'tool').map(({ text }) => text))))
  );
}

function sinceLastAnswer(conversation: readonly Step[]): readonly Step[] {
  return conversation.slice(conversation.findLastIndex(({ by }) => by === 'model') + 1);
}

function clientTools({ tools }: FakeModelRequest): OfferedTool[] {
  return (tools ?? []).filter(({ kind }) => kind !== 'hosted');
}

/**
 * A title, a summary, a choice by schema, a search: asked beside the conversation, and without the tools that the turn
 * needs.
 */
function isSideRequest(request: FakeModelRequest, next: ScriptEntry): boolean {
  if (request.schema !== undefined) return true;
  if (clientTools(request).length > 0) return false;
  return request.tools !== null || next.tools.length > 0;
}

function sideEntry({ schema }: FakeModelRequest): ScriptEntry {
  return checkEntry({ say: schema === undefined ? 'ok' : JSON.stringify(schemaInstance(schema)) });
}

function checkEntry(entry: object): ScriptEntry {
  const [checked] = checkScript({ turns: [entry] }).turns;
  if (checked === undefined) throw new Error('a script has a turn');
  return checked;
}

function replyWith(entry: ScriptEntry, number: number | 'side', mark: number, request: FakeModelRequest): FakeReply {
  const { style, waitMs, paceMs, chunk } = entry;
  const place = number === 'side' ? 'side request' : number === 0 ? 'after the last turn' : `turn ${number}`;
  const label = entry.fault === undefined ? place : `${place}, ${entry.fault}`;
  try {
    return {
      label,
      answer: plan(entry, mark, request),
      style,
      waitMs,
      paceMs,
      chunk,
      fault: entry.fault === undefined ? undefined : entry,
    };
  } catch (error) {
    if (!(error instanceof NoToolError)) throw error;
    const [refusal] = checkScript({
      turns: [{ fault: 'status', status: 400, message: `fake model: ${place}: ${error.message}` }],
    }).turns;
    return {
      label: `${place}: ${error.message}`,
      answer: plan(LAST, mark, request),
      style,
      waitMs: 0,
      paceMs: 0,
      chunk,
      fault: refusal?.fault === undefined ? undefined : refusal,
    };
  }
}

function plan(entry: ScriptEntry, mark: number, request: FakeModelRequest): PlannedAnswer {
  const id = randomBytes(4).toString('hex');
  const prefix = request.dialect === 'anthropic-messages' ? 'toolu' : 'call';
  const calls = entry.tools.map((call, index) =>
    adaptCall(call, `${prefix}_${id}t${mark}c${index}`, request.tools ?? []),
  );
  const reasoning = entry.usage.reasoning ?? tokens(entry.think);
  return {
    id,
    model: entry.model ?? (request.model === '' ? 'fake' : request.model),
    think: entry.think,
    say: entry.say,
    calls,
    stop: entry.stop ?? (calls.length > 0 ? 'tools' : 'end'),
    usage: {
      input: entry.usage.input ?? countTokens(request.body),
      output:
        entry.usage.output ??
        reasoning +
          tokens(entry.say) +
          calls.reduce((sum, call) => sum + tokens(call.input) + tokens(JSON.stringify(call.arguments)), 0),
      cached: entry.usage.cached ?? 0,
      reasoning,
    },
  };
}

/** A fourth of the characters, as everybody guesses. */
export function countTokens(body: unknown): number {
  return tokens(JSON.stringify(body) ?? '');
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
