import type { ModelBudgets, ModelLaneStop, ModelLaneUsage, ModelPrices, ModelUsage } from './contract.ts';
import { costOf } from './prices.ts';

export const DEFAULT_REQUESTS = 1000;

/** What was used up of what may be. */
export class Budget {
  readonly spent: ModelLaneUsage;
  readonly #budgets: ModelBudgets;
  readonly #prices: ModelPrices | undefined;

  constructor(budgets: ModelBudgets, prices: ModelPrices | undefined) {
    this.#budgets = budgets;
    this.#prices = prices;
    this.spent = {
      inputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 0, usd: prices === undefined ? null : 0,
      requests: 0, answered: 0, refused: 0, retries: 0, broken: 0, estimated: 0,
    };
  }

  /** Counts a request. Answers with why it is one too many, or null. */
  countRequest(): ModelLaneStop | null {
    const { requests = DEFAULT_REQUESTS } = this.#budgets;
    this.spent.requests += 1;
    return this.spent.requests <= requests ? null : { kind: 'requests', detail: `the limit of ${requests} requests is reached` };
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
      if (limit !== undefined && used >= limit) return { kind: 'budget', detail: `the budget of ${limit} ${what} is spent (${Number(used.toFixed(6))} used)` };
    }
    return null;
  }

  /** Tokens that one more answer may have, or null when nothing bounds it. */
  outputLeft(model: string): number | null {
    const { outputTokens, totalTokens, usd } = this.#budgets;
    const { spent } = this;
    const price = this.#priceOf(model)?.outputPerMillion ?? 0;
    const limits = [
      outputTokens === undefined ? null : outputTokens - spent.outputTokens,
      totalTokens === undefined ? null : totalTokens - spent.inputTokens - spent.outputTokens,
      usd === undefined || price === 0 ? null : Math.floor(((usd - (spent.usd ?? 0)) / price) * 1_000_000),
    ].filter((limit) => limit !== null);
    return limits.length === 0 ? null : Math.max(1, Math.min(...limits));
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

  #priceOf(model: string): ModelPrices[string] | undefined {
    return this.#prices !== undefined && Object.hasOwn(this.#prices, model) ? this.#prices[model] : undefined;
  }
}
