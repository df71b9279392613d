import { z } from 'zod';
import { ItemFailure } from '../failure.ts';
import { SEAL_NAMES } from '../seals.ts';
import { MutantReport, Proof, RunCount } from '../task.ts';
import { Outcome, TestResult, Trust } from '../verdict.ts';

/** A run of lines of the answer that an agent could read somewhere. */
export const Leak = z.object({
  /** `label/path`, then `!member` for each archive, stream or object that had to be opened. */
  where: z.string(),
  /** Source of the lines, such as `reference:src/a.py`. */
  origin: z.string(),
  /** The first run that was found there. */
  lines: z.array(z.string()),
  /** How many different runs of this origin stand there. */
  runs: z.number().int(),
});
export type Leak = z.infer<typeof Leak>;

/** Another right solution, and what the tests say to it. */
export const AlternateReport = z.object({
  /** Name of its file or directory. */
  name: z.string(),
  outcome: Outcome,
  /** The required tests that it does not pass. */
  failed: z.array(TestResult),
  /** What those tests' files demand that neither the instruction nor T0 tells. */
  demands: z.array(z.object({ kind: z.enum(['name', 'literal', 'message']), text: z.string(), where: z.string() })),
  /** The end of what the tests printed. Foreign text. */
  log: z.string().optional(),
});
export type AlternateReport = z.infer<typeof AlternateReport>;

/** Result of validating one bundle. */
export const TaskReport = z.object({
  id: z.string(),
  reference: RunCount,
  noop: RunCount,
  /** Repository tasks: the hidden tests handed in without the fix. Must not pass. */
  testsOnly: RunCount.optional(),
  /** Run of the first half of the reference's hunks, if there are several. A pass is noted, and does not reject. */
  half: RunCount.optional(),
  /** Repository tasks that hold, unless mutants were switched off. */
  mutants: MutantReport.optional(),
  /** Where other right solutions were given: all must pass. */
  alternates: z.array(AlternateReport).optional(),
  leaks: z.array(Leak),
  admitted: z.boolean(),
  /** Standard tasks: why there is nothing to run. */
  unprovable: z.string().optional(),
  reasons: z.array(z.string()),
});
export type TaskReport = z.infer<typeof TaskReport>;

/** `assay validate` */
export const ValidateResult = z.object({
  tasks: z.array(TaskReport),
  /** Tasks that could not be opened or proven, and why. */
  failures: z.array(ItemFailure),
});
export type ValidateResult = z.infer<typeof ValidateResult>;

/** One cheat against one task, with every seal on and with its own seal off. */
export const CheatReport = z.object({
  id: z.string(),
  title: z.string(),
  /** Letter of the threat catalogue. */
  group: z.string(),
  /** The one that stops it first. */
  seal: z.enum(SEAL_NAMES),
  /** Those that would stop it too: off beside `seal` in the control. */
  alsoOff: z.array(z.enum(SEAL_NAMES)).optional(),
  sealed: z.object({ reward: z.number().nullable(), trust: Trust }),
  unsealed: z.object({ reward: z.number().nullable() }),
  /** It did not get what it was after with every seal on. */
  blocked: z.boolean(),
  /** It did with its one seal off; without that, `blocked` proves nothing. */
  control: z.boolean(),
  /** Why it succeeded, where that is known and unavoidable: the tests are compared in the submission's process. */
  open: z.string().optional(),
});
export type CheatReport = z.infer<typeof CheatReport>;

/** `assay cheats` */
export const CheatsResult = z.object({
  cheats: z.array(CheatReport),
  notApplicable: z.array(z.object({ id: z.string(), title: z.string() })),
  /** Cheats that came to no answer, and why. */
  failures: z.array(ItemFailure),
});
export type CheatsResult = z.infer<typeof CheatsResult>;

/** `assay demo` */
export const DemoResult = z.object({
  task: z.string(),
  proof: Proof.pick({ reference: true, noop: true }),
  trials: z.array(
    z.object({
      /** `cheat:C1`, `honest`, `clamp`. */
      agent: z.string(),
      title: z.string(),
      sealed: z.boolean(),
      outcome: Outcome,
      reward: z.number().nullable(),
    }),
  ),
  elapsedMs: z.number(),
});
export type DemoResult = z.infer<typeof DemoResult>;
