import type { SubmissionLanguage } from '../../run-tests/case-outcome.ts';

/** One submission with its cases. Expected values are not in it. */
export interface ToWorker {
  source: string;
  language: SubmissionLanguage;
  functionName: string;
  cases: readonly { input: string; timeoutMs: number }[];
  memoryBytes: number;
}

export type FromWorker =
  | { kind: 'started'; index: number }
  | { kind: 'outcome'; index: number; text: string }
  | { kind: 'done' };
