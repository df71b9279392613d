/** How strong the wall around a sandbox is, weakest first. Order matters: compare with {@link compareIsolation}. */
export const ISOLATION_LEVELS = ['none', 'wasm', 'namespace', 'gvisor', 'vm'] as const;
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number];

/** `full`: memory, process count and disk are all enforced from outside. `partial`: at least one is not. */
export const LIMITS_LEVELS = ['full', 'partial'] as const;
export type LimitsLevel = (typeof LIMITS_LEVELS)[number];

/** Negative when `a` is weaker than `b`, 0 when equal, positive when stronger. */
export function compareIsolation(a: IsolationLevel, b: IsolationLevel): number {
  return ISOLATION_LEVELS.indexOf(a) - ISOLATION_LEVELS.indexOf(b);
}
