import { z } from 'zod';

/**
 * How an item ended that came to no answer. `quarantined`: the item itself is at fault, and stays so. `excluded`:
 * nothing is known about it; never counted, never remembered as an answer. `failed`: its agent is at fault, score 0.
 */
export const FailureOutcome = z.enum(['quarantined', 'excluded', 'failed']);
export type FailureOutcome = z.infer<typeof FailureOutcome>;

/** One item of a job that came to no answer, and why. */
export const ItemFailure = z.object({
  /** Name of the task, candidate, sample or submission. Foreign text. */
  item: z.string(),
  outcome: FailureOutcome,
  kind: z.enum(['user', 'task', 'agent', 'infrastructure', 'machine', 'bug']),
  /** A code of the error catalogue, of the system (`EMFILE`), or `UNEXPECTED`. */
  code: z.string(),
  /** For a person. May hold foreign text. */
  message: z.string(),
  /** Number of tries. */
  tries: z.number().int().positive(),
});
export type ItemFailure = z.infer<typeof ItemFailure>;
