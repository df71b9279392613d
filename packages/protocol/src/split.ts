import { z } from 'zod';

/**
 * How much a site proves: an assertion of a hidden test whose expectation is compared outside of the submission's
 * process. Weakest last. `strong`: no guess of the battery satisfies it. `contain`: a text with everything in it does.
 * `echo`: a value that the stripped test shows does. `weak`: one of a few constants or exception types does. `native`:
 * the assertion was left inside.
 */
export const SITE_LEVELS = ['strong', 'contain', 'echo', 'weak', 'native'] as const;
export const SiteLevel = z.enum(SITE_LEVELS);
export type SiteLevel = z.infer<typeof SiteLevel>;

/**
 * What a hidden test as a whole is, by its best site. `split`: a strong site, and nothing compared inside. `mixed`: a
 * strong site beside assertions inside. `contain`, `echo`, `weak`: nothing inside, and no better site than that.
 * `in-process`: all that it says is compared inside. `no-assert`: it says only that nothing was thrown.
 */
export const SPLIT_CLASSES = ['split', 'mixed', 'contain', 'echo', 'weak', 'no-assert', 'in-process'] as const;
export const SplitClass = z.enum(SPLIT_CLASSES);
export type SplitClass = z.infer<typeof SplitClass>;

export const SplitSite = z.object({
  /** Number within the plan; stable while the hidden tests are. */
  id: z.number().int().nonnegative(),
  file: z.string(),
  line: z.number().int().positive(),
  /** Kind of assertion, such as `assert ==`, `raises` or `toEqual`. */
  form: z.string().max(100),
  level: SiteLevel,
  /** Line with the words that an exception is to say. */
  messageLine: z.number().int().positive().optional(),
  /** Those words are not compared: its class is. */
  relaxed: z.boolean().optional(),
  /** Guess of the battery that satisfies it, or the reason why it stayed inside. */
  why: z.string().max(500).optional(),
});
export type SplitSite = z.infer<typeof SplitSite>;

export const SplitTest = z.object({
  /** Id of the hidden test as it was written. */
  id: z.string(),
  class: SplitClass,
  /**
   * Its id in the box of the submission, where it runs stripped, or as it is at T0; absent where it runs in the other box,
   * as it was written.
   */
  stripped: z.string().optional(),
  /**
   * Number of the row in the test's table; 0 where it has none. A row is known by the id of its test, never by what an
   * observation says.
   */
  row: z.number().int().nonnegative().default(0),
  /** Sites that have to be observed, by their number: exactly once, or at least once. */
  sites: z.record(z.string(), z.enum(['once', 'some'])).default({}),
  /** Why it is no `split` test. */
  why: z.string().max(500).optional(),
});
export type SplitTest = z.infer<typeof SplitTest>;

/**
 * `tests/split/plan.json`: all that grading needs to compare outside what stripped tests observed. Secret: it holds the
 * expectations, and never enters a sandbox with code of a submission.
 */
export const SplitPlan = z.object({
  version: z.literal(1),
  /** Version of the evaluator that it was made for, by the ecosystem's count. */
  evaluator: z.number().int().nonnegative().default(1),
  runner: z.string(),
  /** sha256 hex of the hidden tests that it was made from, and of the stripped ones that belong to it. */
  hidden: z.string().regex(/^[0-9a-f]{64}$/),
  stripped: z.string().regex(/^[0-9a-f]{64}$/),
  /** Test files that the box of the submission runs; empty when nothing could be stripped. */
  files: z.array(z.string()),
  /**
   * Tests of the fix that run as they were written, and that have a control: the same tests with a failure at their end.
   * A submission under which one of those passes is forged.
   */
  control: z.array(z.string()).default([]),
  /** What the runner saw of odd doings with the reference and without it: others say nothing by the same. */
  signals: z.array(z.string()).default([]),
  sites: z.array(SplitSite).max(100_000),
  /** Every required test, stripped or not. */
  tests: z.array(SplitTest).max(200_000),
  /** Expectations, in the form of the ecosystem's own evaluator. */
  expectations: z.unknown(),
});
export type SplitPlan = z.infer<typeof SplitPlan>;
