/**
 * Of integers; the lower one of the two in the middle when their number is even, so that nothing is rounded up. 0 of
 * none.
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}
