import { z } from 'zod';
import { ItemFailure } from '../failure.ts';
import { ISOLATION_LEVELS, LIMITS_LEVELS } from '../isolation.ts';
import { Proof } from '../task.ts';
import { Trust } from '../verdict.ts';

const Count = z.number().int().nonnegative();
const CweList = z.array(z.number().int());
/** `strict`: what the scenario means. `upstream`: what the original tests say. */
export const BaxProfile = z.enum(['strict', 'upstream']);

/** One functional test of a scenario, run against one app. */
export const FunctionalResult = z.object({
  name: z.string(),
  /** `exception`: neither passed nor failed, because the app gave no answer that the test could read. */
  outcome: z.enum(['passed', 'failed', 'exception']),
  /** Expected and actual outcome. Empty for a pass. */
  detail: z.string(),
  durationMs: z.number().nonnegative(),
});
export type FunctionalResult = z.infer<typeof FunctionalResult>;

/** One security test of a scenario, run against one app. */
export const SecurityResult = z.object({
  /** Name of the test; `crash:NAME` where the app died while the test NAME ran. */
  name: z.string(),
  /** Weaknesses that it tests for, or those it found where the outcome is `vulnerable`. */
  cwe: CweList,
  outcome: z.enum(['clean', 'vulnerable', 'inconclusive']),
  /** Request and response, or why the attack could not be carried out. Empty where the app is clean. */
  evidence: z.string(),
  durationMs: z.number().nonnegative(),
});
export type SecurityResult = z.infer<typeof SecurityResult>;

/** `assay bax grade`: one answer, graded. */
export const SampleGrade = z.object({
  version: z.literal(1),
  scenario: z.string(),
  framework: z.string(),
  profile: BaxProfile,
  /** `invalid`: the grader itself failed, again and again; there are no scores then. */
  outcome: z.enum(['pass', 'fail', 'invalid']),
  functional: z.object({
    passed: z.number().int(),
    total: z.number().int(),
    exceptions: z.number().int(),
    tests: z.array(FunctionalResult),
  }),
  security: z.object({
    total: z.number().int(),
    inconclusive: z.number().int(),
    tests: z.array(SecurityResult),
    cwes: CweList,
  }),
  /**
   * 1: every functional test passes and no weakness was found; in the profile `strict` also no attack was inconclusive.
   * Null when invalid.
   */
  secure_functional_pass: z.number().min(0).max(1).nullable(),
  functional_pass_rate: z.number().min(0).max(1).nullable(),
  /** Share of the security tests that found nothing. In profile `strict` an inconclusive one counts as a finding. */
  security_pass_rate: z.number().min(0).max(1).nullable(),
  build: z.object({ ok: z.boolean(), log: z.string() }),
  trust: Trust,
  isolation: z.enum(ISOLATION_LEVELS),
  limits: z.enum(LIMITS_LEVELS),
  /** The framework's toolchain on this machine: results of two variants are not averaged. */
  variant: z.string(),
  /** sha256 hex over the framework's lock, toolchain and recipe. */
  layer: z.string(),
  /** Why nothing was taken of an answer that names a path outside of its directory, in one line. It fails. */
  refused: z.string().optional(),
  /** One line for a person. */
  note: z.string().optional(),
});
export type SampleGrade = z.infer<typeof SampleGrade>;

/** A rate over rows. */
export const Estimate = z.object({
  value: z.number(),
  /** 95 %, by drawing rows anew: what the choice of rows leaves open. Null for fewer than two rows. */
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
  rows: Count,
});
export type Estimate = z.infer<typeof Estimate>;

/** The rates of some of the samples. */
export const Rates = z.object({
  /** Rows, and samples in them that were graded. */
  rows: Count,
  samples: Count,
  /** By k: at least one of k samples works. */
  pass: z.record(z.string(), Estimate),
  /** By k: at least one of k samples works and nothing was found in it. */
  sec_pass: z.record(z.string(), Estimate),
  /** The share of the samples that work in which something was found; null when none works. */
  insecure: z.number().nullable(),
});
export type Rates = z.infer<typeof Rates>;

const summary = {
  all: Rates,
  scenarios: z.record(z.string(), Rates),
  frameworks: z.record(z.string(), Rates),
  /** By CWE: samples in which it was found, of all and of those that work. */
  cwes: z.record(z.string(), z.object({ samples: Count, working: Count })),
  /** Samples whose grade is invalid: excluded everywhere. */
  invalid: Count,
  /** Security tests that could not be carried out, of all that were run. */
  inconclusive: z.object({ tests: Count, of: Count }),
  /** Variants of each framework: more than one is a mix of machines. */
  variants: z.record(z.string(), z.array(z.string())),
  profile: BaxProfile,
  out: z.string(),
  /** Samples that came to no grade, and why. */
  failures: z.array(ItemFailure),
};

/** `assay bax eval --model`: a model asked for every row, and graded. */
export const EvalReport = z.object({
  ...summary,
  model: z.string(),
  /** Samples that the model's service did not answer, by what it said: `--resume` asks again. */
  unanswered: z.object({ samples: Count, why: z.record(z.string(), Count) }),
});
export type EvalReport = z.infer<typeof EvalReport>;

/** `assay bax eval --results`: what somebody else generated, graded. */
export const GradedTree = z.object({
  ...summary,
  /** Samples that cannot be graded here, and why. */
  skipped: z.array(z.object({ sample: z.string(), why: z.string() })),
  /** Models with their settings: more than one, and the figures are a mix. */
  sets: z.array(z.string()),
});
export type GradedTree = z.infer<typeof GradedTree>;

const RowIds = { scenario: z.string(), framework: z.string() };

/** `assay bax list` */
export const BaxRows = z.object({
  rows: z.array(
    z.object({
      ...RowIds,
      language: z.string(),
      cwes: CweList,
      /** Characters of the API in either form. */
      specSize: z.object({ openapi: Count, text: Count }),
      /** Whether answers can be graded on this machine, and in one line why they cannot. */
      gradable: z.boolean(),
      why: z.string().nullable(),
    }),
  ),
});
export type BaxRows = z.infer<typeof BaxRows>;

/** `assay bax prompt` */
export const BaxPrompt = z.object({
  ...RowIds,
  spec: z.string(),
  safety: z.string(),
  system: z.string(),
  prompt: z.string(),
});
export type BaxPrompt = z.infer<typeof BaxPrompt>;

const SplitRow = z.object({ ...RowIds, language: z.string() });
/** `assay bax split` */
export const BaxSplit = z.object({ train: z.array(SplitRow), eval: z.array(SplitRow) });
export type BaxSplit = z.infer<typeof BaxSplit>;

/** The data set, as it was written. */
export const WrittenDataset = z.object({ file: z.string(), rows: Count, columns: z.array(z.string()), bytes: Count });
export type WrittenDataset = z.infer<typeof WrittenDataset>;

/** The package for `verifiers`, as it was written. */
export const WrittenPackage = z.object({
  directory: z.string(),
  /** Sorted, relative to the directory. */
  files: z.array(z.string()),
  rows: Count,
  /** Where the package looks for the grader last; null where there is no command to name. */
  assay: z.string().nullable(),
});
export type WrittenPackage = z.infer<typeof WrittenPackage>;

/** `assay bax export` */
export const BaxExport = z.union([WrittenDataset, WrittenPackage]);

/** `assay bax task` */
export const ScenarioTaskResult = z.object({
  directory: z.string(),
  tasks: z.array(
    z.object({
      task: z.string(),
      directory: z.string(),
      ...RowIds,
      digest: z.string(),
      /** Whether it carries a reference app. */
      reference: z.boolean(),
      proof: Proof.nullable(),
    }),
  ),
});
export type ScenarioTaskResult = z.infer<typeof ScenarioTaskResult>;

/** `assay bax check`: reference apps and their vulnerable variants, graded and compared with what they are. */
export const CheckReport = z.object({
  ok: z.boolean(),
  apps: z.array(
    z.object({
      ...RowIds,
      /** `secure`, or the name of the variant. */
      app: z.string(),
      profile: BaxProfile,
      ok: z.boolean(),
      /** Empty when the outcome is as expected. */
      problem: z.string(),
      variant: z.string(),
      functional: z.object({ passed: Count, total: Count }),
      cwes: CweList,
      durationMs: z.number(),
    }),
  ),
  /** Frameworks that this machine cannot prepare, and why. */
  unavailable: z.array(z.object({ framework: z.string(), why: z.string() })),
});
export type CheckReport = z.infer<typeof CheckReport>;
