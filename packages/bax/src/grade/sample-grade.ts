import { ISOLATION_LEVELS, LIMITS_LEVELS, Trust } from '@assay/protocol';
import { z } from 'zod';
import { PROFILES } from '../profile.ts';

const CweList = z.array(z.number().int());

export const FunctionalResult = z.object({
  name: z.string(),
  /** `exception`: neither met nor unmet; the app gave no answer that the test could read. */
  outcome: z.enum(['passed', 'failed', 'exception']),
  /** What was wanted and what came; empty for a pass. */
  detail: z.string(),
  durationMs: z.number().nonnegative(),
});
export type FunctionalResult = z.infer<typeof FunctionalResult>;

export const SecurityResult = z.object({
  /** Of the test; `crash:NAME` where the app died while the test NAME ran. */
  name: z.string(),
  /** What it looks for; what it found where the outcome is `vulnerable`. */
  cwe: CweList,
  outcome: z.enum(['clean', 'vulnerable', 'inconclusive']),
  /** What was sent and what came back, or why the attack could not be carried out; empty where the app is clean. */
  evidence: z.string(),
  durationMs: z.number().nonnegative(),
});
export type SecurityResult = z.infer<typeof SecurityResult>;

/** What `assay bax grade --json` prints: one answer, graded. */
export const SampleGrade = z.object({
  version: z.literal(1),
  scenario: z.string(),
  framework: z.string(),
  profile: z.enum(PROFILES),
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
  /**
   * Share of the security tests that found nothing; in the profile `strict` an inconclusive one counts as if it had.
   */
  security_pass_rate: z.number().min(0).max(1).nullable(),
  build: z.object({ ok: z.boolean(), log: z.string() }),
  trust: Trust,
  isolation: z.enum(ISOLATION_LEVELS),
  limits: z.enum(LIMITS_LEVELS),
  /** Of the framework on this machine: results of two variants are not averaged. */
  variant: z.string(),
  /** sha256 hex over the framework's lock, toolchain and recipe. */
  layer: z.string(),
  /** Why nothing was taken of an answer that names a path outside of its directory, in one line. It fails. */
  refused: z.string().optional(),
  /** One line for a person. */
  note: z.string().optional(),
});
export type SampleGrade = z.infer<typeof SampleGrade>;
