import { AssayError } from '@assay/protocol';
import type { ChatModel, ChatRequest } from './contract.ts';

/** A ceiling of tokens for all that is asked of models in a run. Nothing is asked that might break through it. */
export class TokenBudget {
  readonly limit: number;
  #spent = 0;
  #reserved = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Tokens of all requests that have ended. */
  get spent(): number {
    return this.#spent;
  }

  /** Sets tokens aside. Throws `MODEL_BUDGET_SPENT` where they are not there. */
  reserve(tokens: number): void {
    const left = this.limit - this.#spent - this.#reserved;
    if (tokens > left) throw new AssayError('MODEL_BUDGET_SPENT', { limit: this.limit, left, needed: tokens });
    this.#reserved += tokens;
  }

  /** Puts what was used in the place of what was set aside. */
  settle(reserved: number, used: number): void {
    this.#reserved -= reserved;
    this.#spent += used;
  }
}

/**
 * A model that stays within a budget. Before each request the most that it may cost is reserved: a token for each byte of the
 * question, as no tokenizer makes more of it, and the limit of the answer. A request that failed counts as all of that, as
 * nobody says what its attempts cost.
 */
export function withinBudget(model: ChatModel, budget: TokenBudget): ChatModel {
  return {
    async complete(request) {
      const most = mostTokens(request);
      budget.reserve(most);
      let used = most;
      try {
        const answer = await model.complete(request);
        used = answer.usage.inputTokens + answer.usage.outputTokens;
        return answer;
      } finally {
        budget.settle(most, used);
      }
    },
  };
}

/** What services put around a question. */
const FRAME_TOKENS = 64;

const mostTokens = ({ system, user, maxTokens }: ChatRequest): number =>
  Buffer.byteLength(system) + Buffer.byteLength(user) + maxTokens + FRAME_TOKENS;
