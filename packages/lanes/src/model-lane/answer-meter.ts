import { createHash } from 'node:crypto';
import type { Allowance } from './allowance.ts';
import type { ModelLaneEntry, ModelUsage } from './contract.ts';
import type { LaneDialect } from './dialects/dialect.ts';
import { EventReader } from './event-reader.ts';
import { isRecord } from './rules.ts';

/** Roughly, for what a service does not tell. */
export const BYTES_PER_TOKEN = 4;
const MAX_DEPTH = 6;
/** Fields of answers that hold what the model wrote, in any dialect. */
const WRITTEN = new Set([
  'text',
  'content',
  'delta',
  'arguments',
  'partial_json',
  'thinking',
  'reasoning',
  'reasoning_content',
  'input',
]);

/** A copy of an answer beside its way to the client: what it cost, and what the record holds of it. */
export class AnswerMeter {
  bytes = 0;
  /** Whether its last event came. */
  complete = false;
  readonly #dialect: LaneDialect;
  readonly #events: EventReader | null;
  readonly #hash = createHash('sha256');
  readonly #allowance: Allowance;
  readonly #limit: number;
  #copy: Buffer[] = [];
  #copied = 0;
  #truncated = false;
  #known = false;
  #written = 0;
  readonly #usage: ModelUsage = { inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };

  constructor(dialect: LaneDialect, options: { stream: boolean; limit: number; allowance: Allowance }) {
    this.#dialect = dialect;
    this.#limit = options.limit;
    this.#allowance = options.allowance;
    this.#events = options.stream ? new EventReader((event) => this.read(event)) : null;
  }

  push(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#hash.update(chunk);
    this.#events?.push(chunk);
    const kept = this.#truncated ? 0 : Math.min(chunk.length, this.#limit - this.#copied);
    if (kept < chunk.length) this.#truncated = true;
    if (kept === 0) return;
    if (!this.#allowance.take(kept)) {
      this.#truncated = true;
      return;
    }
    this.#copy.push(kept < chunk.length ? Buffer.from(chunk.subarray(0, kept)) : chunk);
    this.#copied += kept;
  }

  /** One event, or a whole answer. */
  read(event: Record<string, unknown>): void {
    if (this.#dialect.readUsage(event, this.#usage)) this.#known = true;
    if (this.#dialect.isFinal(event)) this.complete = true;
    // Events that end a part of a response say again what the pieces said.
    const { type } = event;
    if (typeof type !== 'string' || !type.startsWith('response.') || type.endsWith('.delta'))
      this.#written += writtenLength(event, 0);
  }

  /** Whether the answer came to its end and told what it cost. */
  get settled(): boolean {
    return this.complete && this.#known;
  }

  /** Returns the usage that the service reported, or an estimate from the bytes. */
  usage(requestBytes: number): ModelUsage & { estimated: boolean } {
    if (this.#known) return { ...this.#usage, estimated: false };
    const { inputTokens, outputTokens } = this.#usage;
    return {
      ...this.#usage,
      inputTokens: inputTokens > 0 ? inputTokens : Math.ceil(requestBytes / BYTES_PER_TOKEN),
      outputTokens: Math.max(outputTokens, Math.ceil(this.#written / BYTES_PER_TOKEN)),
      estimated: true,
    };
  }

  /** Ends the copy. */
  finish(status: number, contentType: string): NonNullable<ModelLaneEntry['response']> {
    this.#events?.end();
    const text = Buffer.concat(this.#copy).toString('utf8');
    this.#copy = [];
    this.#allowance.give(this.#copied);
    this.#copied = 0;
    return {
      status,
      contentType,
      bytes: this.bytes,
      sha256: this.#hash.digest('hex'),
      text,
      truncated: this.#truncated,
      malformedEvents: this.#events?.malformed ?? 0,
    };
  }
}

/** Returns the cost of a request whose answer was not read to its end: at least what was reserved for it. */
export function atLeast(usage: ModelUsage, reserved: ModelUsage): ModelUsage & { estimated: boolean } {
  return {
    ...usage,
    inputTokens: Math.max(usage.inputTokens, reserved.inputTokens),
    outputTokens: Math.max(usage.outputTokens, reserved.outputTokens),
    estimated: true,
  };
}

function writtenLength(value: unknown, depth: number): number {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string') length += WRITTEN.has(name) ? Buffer.byteLength(member) : 0;
    else if (name === 'args' && isRecord(member)) length += JSON.stringify(member).length;
    else length += writtenLength(member, depth + 1);
  }
  return length;
}
