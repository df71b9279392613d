import { z } from 'zod';
import { ItemFailure } from '../failure.ts';
import { Sentence } from '../sentence.ts';
import { SplitClass, SplitSite } from '../split.ts';
import { Proof, SuiteChoice } from '../task.ts';
import { Trust } from '../verdict.ts';

export const SplitTaskReport = z.object({
  id: z.string(),
  /** The task has split tests now. */
  split: z.boolean(),
  /** Why it has none. */
  why: z.string().optional(),
  /** How far its verdicts can be believed. */
  trust: Trust,
  /** Identifies the bundle as it lies there now. */
  digest: z.string(),
});
export type SplitTaskReport = z.infer<typeof SplitTaskReport>;

/** `assay task split` */
export const SplitTaskResult = z.object({
  tasks: z.array(SplitTaskReport),
  /** Tasks that could not be opened, split or proven, and why. */
  failures: z.array(ItemFailure),
});
export type SplitTaskResult = z.infer<typeof SplitTaskResult>;

/** `assay task show`. It names hidden tests, and is not for agents. */
export const ShownTask = z.object({
  id: z.string(),
  source: z.string(),
  pipeline: z.string(),
  t0: z.string(),
  runner: z.string(),
  proof: Proof.optional(),
  /** How many names and texts the instruction tells only because hidden tests demand them. */
  specificity: z.number().int(),
  /** How many observations of hidden tests it tells, and how many others it keeps to itself; absent when it tells none. */
  behaviour: z.object({ told: z.number().int(), held_back: z.number().int() }).optional(),
  /** What the instruction says, sentence by sentence. */
  statement: z.array(Sentence),
  trust: Trust,
  /** Every required test. */
  tests: z.array(
    z.object({
      id: z.string(),
      /** `f2p`: fails before the fix. `p2p`: passes before and after. */
      role: z.enum(['f2p', 'p2p']),
      class: SplitClass,
      /** It runs stripped, and what it observes is compared elsewhere. */
      outside: z.boolean(),
      /** Why it is no `split` test. */
      why: z.string().optional(),
    }),
  ),
  /** Assertions that were taken apart. */
  sites: z.array(SplitSite),
  quarantined: z.array(z.string()),
  /** Which tests could become `p2p`; absent in tasks of earlier versions. */
  suite: SuiteChoice.optional(),
});
export type ShownTask = z.infer<typeof ShownTask>;
