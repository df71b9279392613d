import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AssayError } from '@assay/protocol';
import type { ChatAnswer, ChatModel } from './contract.ts';
import { TokenBudget, withinBudget } from './token-budget.ts';

const REQUEST = { system: 's'.repeat(100), user: 'ü'.repeat(50), maxTokens: 36 };
/** What such a request may cost at most: 100 + 100 + 36 and the frame. */
const MOST = 300;
const answer: ChatAnswer = { text: 'x', stop: 'end', usage: { inputTokens: 60, outputTokens: 10 } };
const spent = (error: unknown): boolean => AssayError.is(error) && error.code === 'MODEL_BUDGET_SPENT';

describe('a budget of tokens', () => {
  test('reserves the most that a request may cost, and settles what it did', async () => {
    const budget = new TokenBudget(2 * MOST);
    const asked: number[] = [];
    const model: ChatModel = { complete: async () => (asked.push(1), answer) };
    const within = withinBudget(model, budget);
    for (let count = 0; count < 5; count += 1) await within.complete(REQUEST);
    assert.equal(budget.spent, 350);
    await assert.rejects(within.complete(REQUEST), spent);
    assert.equal(asked.length, 5);
  });

  test('counts requests that are under way', async () => {
    const budget = new TokenBudget(2 * MOST);
    const open = Promise.withResolvers<ChatAnswer>();
    const within = withinBudget({ complete: () => open.promise }, budget);
    const running = [within.complete(REQUEST), within.complete(REQUEST)];
    await assert.rejects(within.complete(REQUEST), spent);
    open.resolve(answer);
    await Promise.all(running);
    assert.equal(budget.spent, 140);
  });

  test('counts a request that failed as all that was set aside', async () => {
    const budget = new TokenBudget(MOST);
    const within = withinBudget({ complete: () => Promise.reject(new Error('gone')) }, budget);
    await assert.rejects(within.complete(REQUEST), /gone/);
    assert.equal(budget.spent, MOST);
    await assert.rejects(within.complete(REQUEST), spent);
  });
});
