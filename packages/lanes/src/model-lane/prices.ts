import { readFile } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import type { ModelPrice, ModelPrices, ModelUsage } from './contract.ts';

const rate = z.number().min(0).max(1_000_000);
const Prices = z.record(
  z.string(),
  z.strictObject({
    inputPerMillion: rate,
    outputPerMillion: rate,
    cachedInputPerMillion: rate.optional(),
    cacheWritePerMillion: rate.optional(),
  }),
);

/**
 * Reads a file of prices, `{model: {inputPerMillion, outputPerMillion, cachedInputPerMillion?}}` in US dollars. Throws
 * `BAD_OPTION`.
 */
export async function readPrices(file: string): Promise<ModelPrices> {
  const bad = (detail: string): AssayError =>
    new AssayError('BAD_OPTION', { option: '--prices', detail: `${file}: ${detail}` });
  let json: unknown;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw bad(error instanceof SyntaxError ? 'it is no JSON' : 'it cannot be read');
  }
  const parsed = Prices.safeParse(json);
  const [issue] = parsed.error?.issues ?? [];
  if (!parsed.success) throw bad(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not prices'}`);
  return parsed.data;
}

/** Parses an amount in US dollars as a user wrote it. Throws `BAD_OPTION`. */
export function readDollars(text: string): number {
  if (/^\d{1,7}(?:\.\d{1,6})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new AssayError('BAD_OPTION', { option: '--max-usd', detail: 'give an amount above 0, such as 2.50' });
}

/** Returns the cost of a request in US dollars. */
export function costOf(usage: ModelUsage, price: ModelPrice): number {
  const {
    inputPerMillion,
    outputPerMillion,
    cachedInputPerMillion = inputPerMillion,
    cacheWritePerMillion = inputPerMillion,
  } = price;
  const plain = Math.max(0, usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteTokens);
  const total =
    plain * inputPerMillion +
    usage.cachedInputTokens * cachedInputPerMillion +
    usage.cacheWriteTokens * cacheWritePerMillion +
    usage.outputTokens * outputPerMillion;
  return total / 1_000_000;
}

/** Throws `BAD_OPTION` when a model has no price, so that a budget of money could not be kept. */
export function assertPriced(models: readonly string[], prices: ModelPrices | undefined): void {
  const missing = models.filter((model) => prices === undefined || !Object.hasOwn(prices, model));
  if (missing.length === 0) return;
  throw new AssayError('BAD_OPTION', {
    option: '--max-usd',
    detail: `there is no price for ${missing.join(', ')}: give --prices with a file that has it`,
  });
}
