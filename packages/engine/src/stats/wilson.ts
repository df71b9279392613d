/**
 * Returns the Wilson score interval of a pass rate, both ends within 0..1; `[0, 1]` when nothing ran.
 *
 * @param z quantile of the normal distribution; the default gives 95 %.
 */
export function wilsonInterval(passes: number, n: number, z = 1.96): [number, number] {
  if (n <= 0) return [0, 1];
  const rate = passes / n;
  const square = z * z;
  const centre = rate + square / (2 * n);
  const half = z * Math.sqrt((rate * (1 - rate) + square / (4 * n)) / n);
  const scale = 1 + square / n;
  // At 0 and n passes the end is exactly 0 or 1; rounding must not move it.
  const low = passes <= 0 ? 0 : Math.max(0, (centre - half) / scale);
  const high = passes >= n ? 1 : Math.min(1, (centre + half) / scale);
  return [low, high];
}
