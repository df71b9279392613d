import type { Receipt, ReceiptCheck, ReceiptResult, ResultDifference } from '@assay/protocol';
import type { ScenarioHost } from '../../kinds/kind.ts';

/**
 * Judges by a standard once more, in a fresh sandbox. Answers with the results in the shape and with the ids of the
 * receipt's; what a model or a person would have to answer may be left out, as only the rest is compared.
 */
export type RejudgeStandard = (request: {
  receipt: Receipt;
  standard: string;
  submission: string;
  provider?: string;
  signal?: AbortSignal;
}) => Promise<ReceiptResult[]>;

export interface VerifyReceiptOptions {
  file: string;
  /** A key id, a public key in base64, or a file with a key. */
  trust: string;
  /** Run the tests again. Default false. */
  rejudge?: boolean;
  /** The bundle of the task. */
  task?: string;
  standard?: string;
  submission?: string;
  /** Default for running again: the receipt's own. */
  provider?: string;
  /** Without it, a receipt on a standard with tests cannot be judged again, and the report says so. */
  rejudgeStandard?: RejudgeStandard;
  /** Opens tasks of scenarios. */
  scenarios?: ScenarioHost;
  signal?: AbortSignal;
}

/** The outcome of running again. */
export interface Rejudged {
  check: ReceiptCheck;
  differences: ResultDifference[] | null;
}
