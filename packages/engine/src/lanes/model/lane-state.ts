import { createHash, timingSafeEqual } from 'node:crypto';
import { Allowance } from './allowance.ts';
import { Budget } from './budget.ts';
import type { ModelDialect, ModelLaneEntry, ModelLanePolicy, ModelLaneStop, ModelBudgets, ModelPrices } from './contract.ts';
import type { LaneDialect } from './dialects/dialect.ts';
import type { EndpointLimiter } from './endpoint-limiter.ts';
import { KeyGuard } from './key-guard.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** Entries of requests without the token, or after the stop, of which a client can make any number. */
const MAX_IDLE_ENTRIES = 1000;
/** Of bodies and copies that all requests hold together. */
const HELD_BYTES = 256 * 1024 * 1024;

export interface LaneSettings {
  base: URL;
  dialects: readonly LaneDialect[];
  models: readonly string[];
  token: string;
  apiKey: string | undefined;
  budgets: ModelBudgets;
  prices: ModelPrices | undefined;
  policy: ModelLanePolicy;
  record: (entry: ModelLaneEntry) => void;
  onStop: ((stop: ModelLaneStop) => void) | undefined;
  client: UpstreamClient;
  limiter: EndpointLimiter;
}

/** What the requests of one lane share. */
export class LaneState {
  readonly settings: LaneSettings;
  readonly budget: Budget;
  readonly guard: KeyGuard;
  readonly held = new Allowance(HELD_BYTES);
  /** Of requests under way. */
  readonly running = new Set<AbortController>();
  #stop: ModelLaneStop | null = null;
  #sequence = 0;
  #recorded = 0;
  #idleEntries = 0;
  #brokenInRow = 0;
  readonly #token: Buffer;

  constructor(settings: LaneSettings) {
    this.settings = settings;
    this.budget = new Budget(settings.budgets, settings.prices);
    this.guard = new KeyGuard(settings.apiKey);
    this.#token = digest(settings.token);
  }

  get stopped(): ModelLaneStop | null {
    return this.#stop;
  }

  /** The first reason stays. */
  stop(stop: ModelLaneStop, options: { abort: boolean } = { abort: false }): ModelLaneStop {
    if (this.#stop === null) {
      this.#stop = stop;
      if (stop.kind !== 'revoked') this.settings.onStop?.(stop);
    }
    if (options.abort) for (const controller of this.running) controller.abort(new Error(stop.detail));
    return this.#stop;
  }

  nextSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** In a time that does not depend on how much of it is right. */
  isToken(shown: string | undefined): boolean {
    return timingSafeEqual(digest(shown ?? ''), this.#token) && shown !== undefined;
  }

  route(target: string): { dialect: LaneDialect; route: NonNullable<ReturnType<LaneDialect['route']>> } | null {
    for (const dialect of this.settings.dialects) {
      const route = dialect.route(target);
      if (route !== null) return { dialect, route };
    }
    return null;
  }

  dialectNames(): ModelDialect[] {
    return this.settings.dialects.map(({ name }) => name);
  }

  countBroken(broken: boolean): void {
    this.#brokenInRow = broken ? this.#brokenInRow + 1 : 0;
    if (broken) this.budget.spent.broken += 1;
    if (this.#brokenInRow >= this.settings.policy.brokenStreams) this.stop({ kind: 'infrastructure', detail: `${this.#brokenInRow} streams of the service broke in a row` });
  }

  /** `idle`: without the token, or after the stop. */
  record(entry: ModelLaneEntry, options: { idle: boolean }): void {
    if (options.idle && (this.#idleEntries += 1) > MAX_IDLE_ENTRIES) return;
    const { policy, record } = this.settings;
    this.#recorded += (entry.request.body === null ? 0 : entry.request.bytes) + (entry.response?.text.length ?? 0) + 1000;
    if (this.#recorded > policy.recordBytes) this.stop({ kind: 'record', detail: `the record is larger than ${policy.recordBytes} bytes` });
    try {
      record(entry);
    } catch {
      this.stop({ kind: 'record', detail: 'the record cannot be written' }, { abort: true });
    }
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
