import { z } from 'zod';
import type { IsolationLevel as IsolationName, LimitsLevel as LimitsName } from './isolation.ts';
import { IsolationLevel, LimitsLevel, Outcome, Trust } from './verdict.ts';

const Score = z.number().int().min(0).max(100);

/** One case of `test_cases`. `got` and `expected` are tagged values (docs/values.md), so that they survive JSON. */
export const CaseJudgement = z.object({
  kind: z.literal('case'),
  id: z.string(),
  desc: z.string(),
  passed: z.boolean(),
  weight: z.number(),
  got: z.unknown().optional(),
  expected: z.unknown().optional(),
  error: z.string().optional(),
  durationMs: z.number().nonnegative(),
});

/** One criterion of `judge_prompt`: every sample, their median, and how far they lie apart (highest minus lowest). */
export const CriterionJudgement = z.object({
  kind: z.literal('criterion'),
  id: z.string(),
  criterion: z.string(),
  weight: z.number(),
  score: Score.nullable(),
  samples: z.array(Score),
  spread: z.number().int().nonnegative(),
  reasons: z.array(z.string()),
});

/** One item of a `checklist`, with who or what answered it, and on what ground. */
export const ItemJudgement = z.object({
  kind: z.literal('item'),
  id: z.string(),
  check: z.string(),
  weight: z.number(),
  passed: z.boolean().nullable(),
  by: z.enum(['person', 'answers-file', 'model', 'probe', 'nobody']),
  evidence: z.string(),
});

const LeafJudgement = z.discriminatedUnion('kind', [CaseJudgement, CriterionJudgement, ItemJudgement]);
export type CaseJudgement = z.infer<typeof CaseJudgement>;
export type CriterionJudgement = z.infer<typeof CriterionJudgement>;
export type ItemJudgement = z.infer<typeof ItemJudgement>;

export interface ChildJudgement {
  kind: 'child';
  id: string;
  weight: number;
  judgement: Judgement;
}
export type ResultJudgement = CaseJudgement | CriterionJudgement | ItemJudgement | ChildJudgement;

/** The answer of `assay judge`. */
export interface Judgement {
  type: 'test_cases' | 'judge_prompt' | 'checklist' | 'composite';
  /** 0 to 100, by integer arithmetic, rounded down; null exactly when the outcome is `invalid`. */
  score: number | null;
  passScore: number;
  passed: boolean;
  outcome: Outcome;
  results: ResultJudgement[];
  trust: Trust;
  isolation: IsolationName;
  limits: LimitsName;
  /** Name and version of whatever judged: `quickjs@1`, `model:NAME`. */
  verifier: string;
  /** sha256 hex: `standard` and `submission`, of their bytes; for models also `prompt` and `transcript`. */
  digests: Record<string, string>;
  note?: string | undefined;
}

export const Judgement: z.ZodType<Judgement> = z.lazy(() =>
  z.object({
    type: z.enum(['test_cases', 'judge_prompt', 'checklist', 'composite']),
    score: Score.nullable(),
    passScore: Score,
    passed: z.boolean(),
    outcome: Outcome,
    results: z.array(
      z.union([
        LeafJudgement,
        z.object({ kind: z.literal('child'), id: z.string(), weight: z.number(), judgement: Judgement }),
      ]),
    ),
    trust: Trust,
    isolation: IsolationLevel,
    limits: LimitsLevel,
    verifier: z.string(),
    digests: z.record(z.string(), z.string()),
    note: z.string().optional(),
  }),
);
