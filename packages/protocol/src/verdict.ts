import { z } from 'zod';
import { ISOLATION_LEVELS, LIMITS_LEVELS } from './isolation.ts';

export const IsolationLevel = z.enum(ISOLATION_LEVELS);
export const LimitsLevel = z.enum(LIMITS_LEVELS);

/** `invalid` means unknown, never 0: a signal from outside the submission's reach said that grading itself failed. */
export const Outcome = z.enum(['pass', 'fail', 'invalid']);
export type Outcome = z.infer<typeof Outcome>;

/**
 * How far a verdict can be believed, worst first. `judged` and `attested` are not comparable with the others.
 * `in-process`: candidate and tests shared a process, so the checks are layered but not proof.
 */
export const TrustLevel = z.enum(['forged', 'unsealed', 'in-process', 'mixed', 'split', 'judged', 'attested']);
export type TrustLevel = z.infer<typeof TrustLevel>;

/** How much of a verdict was compared outside of the submission's process. */
export const SplitCounts = z.object({
  /** Tests that go from fail to pass: those of class `split` or `mixed`, those compared outside, all. */
  f2p: z.object({ strong: z.number().int(), outside: z.number().int(), total: z.number().int() }),
  p2p: z.object({ strong: z.number().int(), outside: z.number().int(), total: z.number().int() }),
  /** Sites of all tests that no guess satisfies. */
  strongSites: z.number().int(),
});
export type SplitCounts = z.infer<typeof SplitCounts>;

export const Trust = z.object({
  level: TrustLevel,
  reasons: z.array(z.string()),
  /** Absent where nothing is compared outside. */
  split: SplitCounts.optional(),
});
export type Trust = z.infer<typeof Trust>;

/** Only `passed` counts as a pass. `missing` is an expected test that left no record. */
export const TestStatus = z.enum(['passed', 'failed', 'error', 'skipped', 'xfailed', 'xpassed', 'missing']);
export type TestStatus = z.infer<typeof TestStatus>;

export const TestResult = z.object({
  id: z.string(),
  status: TestStatus,
  durationMs: z.number().nonnegative(),
  /** Expected and actual outcome, for a person to read. Untrusted text. */
  detail: z.string().optional(),
});
export type TestResult = z.infer<typeof TestResult>;

export const Verdict = z.object({
  outcome: Outcome,
  /** 0 to 1; null exactly when the outcome is `invalid`. */
  reward: z.number().min(0).max(1).nullable(),
  /** Rates and counts that explain the reward and never replace it, such as `f2p_rate`. */
  components: z.record(z.string(), z.number()),
  tests: z.array(TestResult),
  trust: Trust,
  isolation: IsolationLevel,
  limits: LimitsLevel,
  /** Which verifier answered, with its version: `pytest@1`. */
  verifier: z.string(),
  /** sha256 hex of what the verdict is about: `task`, `submission`, `environment`. */
  digests: z.record(z.string(), z.string()),
  /** One line for a person: why it failed or is invalid. */
  note: z.string().optional(),
});
export type Verdict = z.infer<typeof Verdict>;
