import type { Comparison } from '../values/compare-values.ts';

export interface TestCase extends Comparison {
  /** The arguments. */
  input: unknown[];
  /** The value to be returned. Live and tagged values may be mixed; see `values/tagged-value.ts`. */
  expected?: unknown;
  desc?: string | undefined;
  /** Instead of `expected`: it shall throw. A text must occur in the message. */
  throws?: true | string | { name?: string | undefined; message?: string | undefined } | undefined;
  /** Default 1. */
  weight?: number | undefined;
  /** Milliseconds; default that of the run. */
  timeoutMs?: number | undefined;
}

export interface TestResult {
  desc: string;
  passed: boolean;
  /** The live value. Absent when the function threw or was stopped. */
  got?: unknown;
  expected: unknown;
  /** Why it did not pass, in one line. */
  error?: string;
  /** Only when the case has one. */
  weight?: number;
}
