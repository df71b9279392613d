/**
 * Returns the instants at which to cut off an index for a tree of T0, best first: the start of the month, so that trees
 * of one month with the same manifests share an environment; then, for trees that need something newer, the start of
 * the day and T0 itself.
 */
export function cutoffs(t0: Date): Date[] {
  const [year, month, day] = [t0.getUTCFullYear(), t0.getUTCMonth(), t0.getUTCDate()];
  const instants = [Date.UTC(year, month, 1), Date.UTC(year, month, day), t0.getTime()];
  return [...new Set(instants)].map((instant) => new Date(instant));
}
