/**
 * The instants at which to cut off an index for a tree of T0, best first: the begin of the month, so that trees of one month with the
 * same manifests share an environment, and T0 itself for trees that need what appeared since.
 */
export function cutoffs(t0: Date): Date[] {
  return [new Date(Date.UTC(t0.getUTCFullYear(), t0.getUTCMonth(), 1)), t0];
}
