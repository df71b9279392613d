import type { Estimate } from '@assay/protocol';
import { mulberry32 } from '../split/shuffle.ts';

/**
 * Estimates of a rate over samples of several rows. The estimator is the unbiased one of Chen et al. 2021, computed as
 * a product.
 */

/**
 * Chance that at least one of `k` samples drawn from `n`, of which `c` count, is one that counts. 1 when fewer than `k`
 * do not count. Throws `RangeError` for k > n.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (k < 1 || k > n || c < 0 || c > n) throw new RangeError(`pass@${k} of ${c} of ${n}`);
  if (n - c < k) return 1;
  let none = 1;
  for (let each = n - c + 1; each <= n; each += 1) none *= 1 - k / each;
  return 1 - none;
}

export interface RowCount {
  /** Samples. */
  n: number;
  /** Those that count. */
  c: number;
}

const RESAMPLES = 2000;
const SEED = 0x5eed;

/**
 * The mean over rows of `passAtK`, rows with fewer than `k` samples left out; null when none is left. The same every
 * time for the same rows.
 */
export function meanPassAtK(rows: readonly RowCount[], k: number): Estimate | null {
  const values = rows.filter(({ n }) => n >= k).map(({ n, c }) => passAtK(n, c, k));
  if (values.length === 0) return null;
  return { value: mean(values), interval: values.length < 2 ? null : bootstrap(values), rows: values.length };
}

function bootstrap(values: readonly number[]): { low: number; high: number } {
  const random = mulberry32(SEED);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn += 1)
      sum += values[Math.floor((random() / 0x1_0000_0000) * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return { low: means[Math.floor(RESAMPLES * 0.025)] ?? 0, high: means[Math.ceil(RESAMPLES * 0.975) - 1] ?? 1 };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
