import { createHash, timingSafeEqual } from 'node:crypto';
import { Allowance } from './allowance.ts';
import type { Asked } from './ask-upstream.ts';
import { Budget } from './budget.ts';
import type {
  ModelBudgets,
  ModelDialect,
  ModelLaneEntry,
  ModelLaneOutcome,
  ModelLanePolicy,
  ModelLaneStop,
  ModelPrices,
  ModelUsage,
} from './contract.ts';
import type { LaneDialect } from './dialects/dialect.ts';
import type { EndpointLimiter } from './endpoint-limiter.ts';
import { KeyGuard } from './key-guard.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** Entries of requests without the token, or after the stop, of which a client can make any number. */
const MAX_IDLE_ENTRIES = 1000;

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

/** State that all requests of a lane share. */
export class LaneState {
  readonly settings: LaneSettings;
  readonly budget: Budget;
  readonly guard: KeyGuard;
  readonly held: Allowance;
  /** Controllers of the requests under way. */
  readonly running = new Set<AbortController>();
  /** The last stream that ended, if it broke. */
  lastBroken: Asked | null = null;
  #stop: ModelLaneStop | null = null;
  #sequence = 0;
  #recorded = 0;
  #idleEntries = 0;
  #brokenInRow = 0;
  #last: { sequence: number; outcome: ModelLaneOutcome | null } = { sequence: 0, outcome: null };
  #checks: Promise<void> = Promise.resolve();
  readonly #ending = new AbortController();
  readonly #token: Buffer;

  constructor(settings: LaneSettings) {
    this.settings = settings;
    this.budget = new Budget(settings.budgets, settings.prices);
    this.guard = new KeyGuard(settings.apiKey);
    this.held = new Allowance(settings.policy.heldBytes);
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
    if (options.abort) {
      this.#ending.abort(new Error(stop.detail));
      for (const controller of this.running) controller.abort(new Error(stop.detail));
    }
    return this.#stop;
  }

  /** Fires when everything under way has to end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Runs one check of the service at a time. */
  async alone<T>(check: () => Promise<T>): Promise<T> {
    const before = this.#checks;
    const done = Promise.withResolvers<void>();
    this.#checks = done.promise;
    try {
      await before;
      return await check();
    } finally {
      done.resolve();
    }
  }

  /** Resolves when no check runs. */
  async unchecked(): Promise<void> {
    for (let last: Promise<void> | null = null; last !== this.#checks;) {
      last = this.#checks;
      await last;
    }
  }

  /** False when there were none. */
  endOthers(own: AbortController | null, reason: Error): boolean {
    const others = [...this.running].filter((controller) => controller !== own);
    for (const controller of others) controller.abort(reason);
    return others.length > 0;
  }

  /** Answers with the price in US dollars, or null. */
  charge(model: string, { estimated, ...usage }: ModelUsage & { estimated: boolean }): number | null {
    if (estimated) this.budget.spent.estimated += 1;
    return this.budget.add(model, usage);
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

  /** `broken`: whether a stream of the service broke. Answers with how many did so in a row. */
  countStream(broken: boolean): number {
    this.#brokenInRow = broken ? this.#brokenInRow + 1 : 0;
    if (broken) this.budget.spent.broken += 1;
    return this.#brokenInRow;
  }

  /** Outcome of the last request. */
  get lastOutcome(): ModelLaneOutcome | null {
    return this.#last.outcome;
  }

  /** `idle`: without the token, or after the stop. */
  record(entry: ModelLaneEntry, options: { idle: boolean }): void {
    if (options.idle && (this.#idleEntries += 1) > MAX_IDLE_ENTRIES) return;
    const { policy, record } = this.settings;
    this.#recorded +=
      (entry.request.body === null ? 0 : entry.request.bytes) + (entry.response?.text.length ?? 0) + 1000;
    if (!options.idle && entry.sequence > this.#last.sequence)
      this.#last = { sequence: entry.sequence, outcome: entry.outcome };
    // The client makes the record grow, so its limit is a budget.
    if (this.#recorded > policy.recordBytes)
      this.stop({ kind: 'budget', detail: `the budget of ${policy.recordBytes} bytes of record is spent` });
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
