import { z } from 'zod';

/**
 * How a canary was found in a submission. `identifier` and `constant`: as such, in some spelling. `encoded`: in another
 * alphabet.
 */
export const CanaryForm = z.enum(['identifier', 'constant', 'encoded']);
export type CanaryForm = z.infer<typeof CanaryForm>;

/** `read`: the file system says so. `changed`, `gone`: it is not what was planted, or not there. */
export const CanaryTouch = z.object({ path: z.string(), how: z.enum(['read', 'changed', 'gone']) });
export type CanaryTouch = z.infer<typeof CanaryTouch>;

/** A plausible wrong fix, and where in the agent's sandbox it lay. */
export const Canary = z.object({
  /** Absolute, in the agent's sandbox. Those of one canary belong together and carry the same mark. */
  paths: z.array(z.string()),
  /** The mark: two words and a number that nobody has without having seen them. */
  identifier: z.string().regex(/^[a-z]+_[a-z]+$/, 'expected two words'),
  constant: z.number().int().positive(),
});
export type Canary = z.infer<typeof Canary>;

/** canaries.json of a trial: what was planted for its agent, and what became of it. */
export const TrialCanaries = z.object({
  version: z.literal(1),
  planted: z.array(Canary),
  touched: z.array(CanaryTouch),
  /** `canary` is an index of `planted`; `path` is of the submission, and foreign. */
  marked: z.array(z.object({ canary: z.number().int().nonnegative(), path: z.string(), form: CanaryForm })),
});
export type TrialCanaries = z.infer<typeof TrialCanaries>;
