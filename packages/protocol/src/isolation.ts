import { z } from 'zod';

/** How strong the wall around a sandbox is, weakest first. Order matters: compare with {@link compareIsolation}. */
export const IsolationLevel = z.enum(['none', 'wasm', 'namespace', 'gvisor', 'vm']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** `full`: memory, process count and disk are all enforced from outside. `partial`: at least one is not. */
export const LimitsLevel = z.enum(['full', 'partial']);
export type LimitsLevel = z.infer<typeof LimitsLevel>;

/** Negative when `a` is weaker than `b`, 0 when equal, positive when stronger. */
export function compareIsolation(a: IsolationLevel, b: IsolationLevel): number {
  return IsolationLevel.options.indexOf(a) - IsolationLevel.options.indexOf(b);
}
