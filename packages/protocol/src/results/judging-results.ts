import { z } from 'zod';
import { Judgement } from '../judgement.ts';
import { Receipt } from '../receipt.ts';
import { Standard, STANDARD_TYPES } from '../standard.ts';
import { Proof } from '../task.ts';
import { ErrorDocument } from './error-document.ts';

/** One check of a receipt. */
export const ReceiptCheck = z.object({
  name: z.string(),
  status: z.enum(['pass', 'fail', 'unchecked']),
  detail: z.string(),
});
export type ReceiptCheck = z.infer<typeof ReceiptCheck>;

/** A result that differed when it was run again. */
export const ResultDifference = z.object({
  /** Ids from the outermost standard down, such as `child-2/case-1`. */
  id: z.string(),
  recorded: z.string(),
  now: z.string(),
});
export type ResultDifference = z.infer<typeof ResultDifference>;

/** `assay receipt verify` */
export const ReceiptReport = z.object({
  file: z.string(),
  /** True when no check failed. */
  valid: z.boolean(),
  checks: z.array(ReceiptCheck),
  /** Null unless the trusted key signed it: nothing in it can be believed then. */
  receipt: Receipt.nullable(),
  /** Null when nothing was run again. */
  differences: z.array(ResultDifference).nullable(),
});
export type ReceiptReport = z.infer<typeof ReceiptReport>;

/** `assay key new` and `assay key show`: the public half of a key. */
export const KeyDescription = z.object({
  path: z.string(),
  /** sha256 hex of the SPKI. */
  keyId: z.string(),
  /** SPKI, base64. */
  publicKey: z.string(),
  /** The same in PEM. */
  pem: z.string(),
});
export type KeyDescription = z.infer<typeof KeyDescription>;

const StandardType = z.enum(STANDARD_TYPES);

/** `assay standard new`: the document itself, or where it was written. */
export const NewStandard = z.union([Standard, z.object({ type: StandardType, file: z.string() })]);
/** `assay standard validate` */
export const StandardValidation = z.union([
  z.object({ valid: z.literal(true), sha256: z.string(), type: StandardType }),
  z.object({ valid: z.literal(false), sha256: z.string(), problems: z.array(z.string()) }),
]);
/** `assay standard show`: what whoever solves it may see; with `--full` the document. */
export const ShownStandard = z.union([Standard, z.object({ type: StandardType, view: z.string() })]);
/** `assay standard add` */
export const AddedStandard = z.object({ cid: z.string(), size: z.number().int(), type: StandardType });

/** `assay standard task` */
export const StandardTaskResult = z.object({
  task: z.string(),
  directory: z.string(),
  digest: z.string(),
  type: StandardType,
  /** The file that an agent has to write. */
  answer: z.string(),
  proof: Proof.nullable(),
  /** Why there is no proof; null when there is one. */
  unproven: z.string().nullable(),
  /** Why Harbor gives no reward; null when it does. */
  harbor: z.string().nullable(),
});
export type StandardTaskResult = z.infer<typeof StandardTaskResult>;

/** `assay judge` with several submissions, in their order: each its judgement, or why it could not be judged. */
export const Judgements = z.object({
  judgements: z.array(
    z.union([
      z.object({ submission: z.string(), judgement: Judgement }),
      z.object({ submission: z.string(), error: ErrorDocument.shape.error }),
    ]),
  ),
});
export type Judgements = z.infer<typeof Judgements>;
