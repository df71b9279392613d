import { z } from 'zod';
import { ItemJudgement } from './judgement.ts';
import { MIN_PASS_SCORE } from './standard.ts';
import { IsolationLevel, LimitsLevel, Outcome, TestStatus, TrustLevel } from './verdict.ts';

/** Payload type of the signed envelope. */
export const RECEIPT_TYPE = 'application/vnd.assay.receipt+json';
/** Limit on a receipt file. Results that would not fit are left out, and only their root stays. */
export const MAX_RECEIPT_BYTES = 4 * 1024 * 1024;

const Text = z.string().refine((text) => text.isWellFormed(), 'expected well-formed Unicode');
const Id = Text.min(1);
const Count = z.number().int().nonnegative();
const Score = z.number().int().min(0).max(100);
const Weight = z.number().nonnegative();
const Duration = z.number().nonnegative();
export const ReceiptDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 hex digits');
const Time = z.string().refine(isTime, 'expected a time such as 2026-01-31T12:00:00.000Z');

/** One test of a repository task. */
const TestRecord = z.strictObject({ kind: z.literal('test'), id: Id, status: TestStatus, durationMs: Duration });
/** One case of `test_cases`, without its expected and actual values. */
const CaseRecord = z.strictObject({
  kind: z.literal('case'),
  id: Id,
  passed: z.boolean(),
  weight: Weight,
  durationMs: Duration,
});
/** One criterion of `judge_prompt`, with every answer of the model. */
const CriterionRecord = z.strictObject({
  kind: z.literal('criterion'),
  id: Id,
  weight: Weight,
  score: Score.nullable(),
  samples: z.array(Score),
  reasons: z.array(Text),
});
/** One item of a `checklist`: who or what answered, and on which evidence. */
const ItemRecord = z.strictObject({
  kind: z.literal('item'),
  id: Id,
  weight: Weight,
  passed: z.boolean().nullable(),
  by: ItemJudgement.shape.by,
  evidence: Text,
});

const STANDARD_KINDS = ['test_cases', 'judge_prompt', 'checklist', 'composite'] as const;

/** One standard inside a composite, with its own results. */
export interface ChildRecord {
  kind: 'child';
  id: string;
  weight: number;
  type: (typeof STANDARD_KINDS)[number];
  passScore: number;
  outcome: Outcome;
  score: number | null;
  /** Present when a model judged it. */
  prompt?: string | undefined;
  transcript?: string | undefined;
  results: ReceiptResults;
}
export type LeafRecord =
  | z.infer<typeof TestRecord>
  | z.infer<typeof CaseRecord>
  | z.infer<typeof CriterionRecord>
  | z.infer<typeof ItemRecord>;
/** The result of one test, case, criterion, item or child. It never holds an expected value. */
export type ReceiptResult = LeafRecord | ChildRecord;

/** Results under one hash. */
export interface ReceiptResults {
  count: number;
  /** Root of the Merkle tree over the results, in their order; see docs/receipts.md. */
  root: string;
  /** Absent when withheld, or too large for one file. */
  records?: ReceiptResult[] | undefined;
}

const ReceiptResults: z.ZodType<ReceiptResults> = z.lazy(() =>
  z.strictObject({ count: Count, root: ReceiptDigest, records: z.array(ReceiptResult).optional() }),
);
const ReceiptResult: z.ZodType<ReceiptResult> = z.lazy(() =>
  z.union([
    z.discriminatedUnion('kind', [TestRecord, CaseRecord, CriterionRecord, ItemRecord]),
    z.strictObject({
      kind: z.literal('child'),
      id: Id,
      weight: Weight,
      type: z.enum(STANDARD_KINDS),
      passScore: Score.min(MIN_PASS_SCORE),
      outcome: Outcome,
      score: Score.nullable(),
      prompt: ReceiptDigest.optional(),
      transcript: ReceiptDigest.optional(),
      results: ReceiptResults,
    }),
  ]),
);

/** How the reward follows from the results. */
export const ReceiptScoring = z.discriminatedUnion('rule', [
  /** A repository task, or a task whose answer is missing: 1 if and only if every test passed, else 0. */
  z.strictObject({ rule: z.literal('all-passed') }),
  /**
   * A standard, or a task of one: the weighted mean of 0 to 100, rounded down; a criterion counts with the median of
   * its samples.
   */
  z.strictObject({
    rule: z.literal('weighted-mean'),
    rounding: z.literal('floor'),
    type: z.enum(STANDARD_KINDS),
    passScore: Score.min(MIN_PASS_SCORE),
  }),
]);
export type ReceiptScoring = z.infer<typeof ReceiptScoring>;

/** The signed, re-checkable record of a verdict. Strict: a field that is not named here is refused. */
export const Receipt = z.strictObject({
  schema: z.literal('assay/receipt@1'),
  subject: z.strictObject({ kind: z.enum(['task', 'standard']), id: Id.optional(), trial: Id.optional() }),
  digests: z.strictObject({
    /** Digest of the task's bundle, or of the standard's bytes. */
    subject: ReceiptDigest,
    submission: ReceiptDigest,
    environment: ReceiptDigest.optional(),
    /** Digests of the prompt and the transcript, when a model judged. */
    prompt: ReceiptDigest.optional(),
    transcript: ReceiptDigest.optional(),
    /** Digest of the file with a person's answers. */
    answers: ReceiptDigest.optional(),
  }),
  cids: z.strictObject({ subject: Id.optional(), submission: Id.optional() }).optional(),
  /** `name@version`, and a digest of the code that ran. */
  verifier: z.strictObject({ name: Id, digest: ReceiptDigest }),
  sandbox: z.strictObject({ provider: Id, isolation: IsolationLevel, limits: LimitsLevel }),
  scoring: ReceiptScoring,
  results: ReceiptResults,
  verdict: z.strictObject({
    outcome: Outcome,
    passed: z.boolean(),
    /** 0 to 1; null exactly when the outcome is `invalid`. */
    reward: z.number().min(0).max(1).nullable(),
    /** 0 to 100, of standards alone. */
    score: Score.nullable().optional(),
    components: z.record(z.string().regex(/^[A-Za-z][\w.-]*$/), z.number()),
    note: Text.optional(),
  }),
  trust: z.strictObject({ level: TrustLevel, reasons: z.array(Text) }),
  /** `false`: a model or a person answered, so that only the computation from their answers can be done again. */
  repeatable: z.boolean(),
  startedAt: Time,
  finishedAt: Time,
  /** SPKI, base64, of the key that signs. */
  signer: z.string(),
});
export type Receipt = z.infer<typeof Receipt>;

/** DSSE 1.0 with exactly one signature. */
export const ReceiptEnvelope = z.strictObject({
  payloadType: z.literal(RECEIPT_TYPE),
  payload: z.string(),
  signatures: z.tuple([z.strictObject({ keyid: z.string().regex(/^[0-9a-f]{64}$/), sig: z.string() })]),
});
export type ReceiptEnvelope = z.infer<typeof ReceiptEnvelope>;

function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString() === text;
}
