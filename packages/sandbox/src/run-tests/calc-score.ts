import { weightedFloor } from '@assay/protocol/weighted-score';
import type { TestResult } from './test-case.ts';

/**
 * `(passed / total) * maxPoints`, rounded down in exact arithmetic: 2 of 3 is 66 of 100. Weights count where cases have
 * them. 0 without results. Throws RangeError when `maxPoints` is no whole number of at least 0.
 */
export function calcScore(results: readonly Pick<TestResult, 'passed' | 'weight'>[], maxPoints: number): number {
  if (!Number.isSafeInteger(maxPoints) || maxPoints < 0)
    throw new RangeError(`maxPoints must be a whole number of at least 0, not ${maxPoints}`);
  return weightedFloor(results.map(({ passed, weight = 1 }) => ({ weight, score: passed ? maxPoints : 0 })));
}
