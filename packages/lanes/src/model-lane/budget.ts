import type { ModelBudgets, ModelLaneStop, ModelLaneUsage, ModelPrices, ModelUsage } from './contract.ts';
import { costOf } from './prices.ts';

const DEFAULT_REQUESTS = 1000;
/** Output tokens assumed for a request that sets no limit. */
const DEFAULT_OUTPUT = 64_000;
/** Tokens of an answer with which an agent gets on. */
const SMALL_OUTPUT = 4096;
export const NOTHING: Readonly<ModelUsage> = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
};

export interface Reservation {
  /** Output limit to impose. Null keeps the one that was asked for. */
  outputLimit: number | null;
  /** Usage that is reserved in the budgets of tokens and money. Null when there are none. */
  atMost: Readonly<ModelUsage> | null;
  /** Once, after what was spent is added. */
  release: () => void;
}

/** Keeps the budgets of a lane and counts what is spent. */
export class Budget {
  readonly spent: ModelLaneUsage;
  readonly #budgets: ModelBudgets;
  readonly #prices: ModelPrices | undefined;
  readonly #reserved = { inputTokens: 0, outputTokens: 0, usd: 0 };
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  constructor(budgets: ModelBudgets, prices: ModelPrices | undefined) {
    this.#budgets = budgets;
    this.#prices = prices;
    this.spent = {
      inputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      usd: prices === undefined ? null : 0,
      requests: 0,
      answered: 0,
      refused: 0,
      retries: 0,
      broken: 0,
      estimated: 0,
    };
  }

  /** Counts a request. Answers with why it is one too many, or null. */
  countRequest(): ModelLaneStop | null {
    const { requests = DEFAULT_REQUESTS } = this.#budgets;
    this.spent.requests += 1;
    return this.spent.requests <= requests
      ? null
      : { kind: 'requests', detail: `the limit of ${requests} requests is reached` };
  }

  /** Why nothing more may be asked, or null. */
  exhausted(): ModelLaneStop | null {
    const { inputTokens, outputTokens, totalTokens, usd } = this.#budgets;
    const { spent } = this;
    const limits: [string, number, number | undefined][] = [
      ['input tokens', spent.inputTokens, inputTokens],
      ['output tokens', spent.outputTokens, outputTokens],
      ['tokens', spent.inputTokens + spent.outputTokens, totalTokens],
      ['US dollars', spent.usd ?? 0, usd],
    ];
    for (const [what, used, limit] of limits) {
      if (limit !== undefined && used >= limit)
        return { kind: 'budget', detail: `the budget of ${limit} ${what} is spent (${Number(used.toFixed(6))} used)` };
    }
    return null;
  }

  /**
   * Sets aside what one more request may cost, so that many at once cannot spend what is there once. `asked`: the
   * output that it asks for, null for no limit. Null: it has to wait until another has ended, as too little is left
   * beside those under way.
   */
  reserve(model: string, asked: number | null, inputTokens: number, maxOutput: number | undefined): Reservation | null {
    const { inputTokens: inputBudget } = this.#budgets;
    const { spent } = this;
    const left = this.#outputLeft(model);
    const wanted = Math.min(asked ?? DEFAULT_OUTPUT, maxOutput ?? Number.MAX_SAFE_INTEGER);
    const noInput = inputBudget !== undefined && spent.inputTokens + this.#reserved.inputTokens >= inputBudget;
    if (this.#underWay > 0 && (noInput || (left !== null && left < Math.min(wanted, SMALL_OUTPUT)))) return null;
    const limit = left === null ? (maxOutput ?? null) : Math.max(1, Math.min(wanted, left));
    const usage = { ...NOTHING, inputTokens, outputTokens: limit ?? wanted };
    const price = this.#priceOf(model);
    this.#reserve(1, usage, price === undefined ? 0 : costOf(usage, price));
    return {
      outputLimit: limit,
      atMost: left === null ? null : usage,
      release: () => this.#reserve(-1, usage, price === undefined ? 0 : costOf(usage, price)),
    };
  }

  /** Resolves when a request under way has ended. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
    signal.throwIfAborted();
  }

  /** Adds what an answer cost; answers with its price in US dollars, or null when it has none. */
  add(model: string, usage: ModelUsage): number | null {
    const { spent } = this;
    spent.inputTokens += usage.inputTokens;
    spent.cachedInputTokens += usage.cachedInputTokens;
    spent.cacheWriteTokens += usage.cacheWriteTokens;
    spent.outputTokens += usage.outputTokens;
    const price = this.#priceOf(model);
    if (price === undefined || spent.usd === null) return null;
    const cost = costOf(usage, price);
    spent.usd += cost;
    return cost;
  }

  /** Tokens of output that are neither spent nor set aside; null when nothing bounds them. */
  #outputLeft(model: string): number | null {
    const { outputTokens, totalTokens, usd } = this.#budgets;
    const { spent } = this;
    const reserved = this.#reserved;
    const price = this.#priceOf(model)?.outputPerMillion ?? 0;
    const limits = [
      outputTokens === undefined ? null : outputTokens - spent.outputTokens - reserved.outputTokens,
      totalTokens === undefined
        ? null
        : totalTokens - spent.inputTokens - spent.outputTokens - reserved.inputTokens - reserved.outputTokens,
      usd === undefined || price === 0
        ? null
        : Math.floor(((usd - (spent.usd ?? 0) - reserved.usd) / price) * 1_000_000),
    ].filter((limit) => limit !== null);
    return limits.length === 0 ? null : Math.min(...limits);
  }

  #reserve(sign: 1 | -1, usage: ModelUsage, usd: number): void {
    this.#underWay += sign;
    this.#reserved.inputTokens += sign * usage.inputTokens;
    this.#reserved.outputTokens += sign * usage.outputTokens;
    this.#reserved.usd += sign * usd;
    if (sign === -1) for (const wake of this.#waiting) wake();
  }

  #priceOf(model: string): ModelPrices[string] | undefined {
    return this.#prices !== undefined && Object.hasOwn(this.#prices, model) ? this.#prices[model] : undefined;
  }
}
