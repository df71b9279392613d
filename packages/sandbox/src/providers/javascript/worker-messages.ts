import type { SubmissionLanguage } from '../../run-tests/case-outcome.ts';
import type { ProgramRequest } from './program-result.ts';

/** One submission with its cases. Expected values are not in it. */
export interface CasesMessage {
  kind: 'cases';
  source: string;
  language: SubmissionLanguage;
  functionName: string;
  cases: readonly { input: string; timeoutMs: number }[];
  memoryBytes: number;
}

export type ToWorker = CasesMessage | ({ kind: 'program' } & ProgramRequest);

/**
 * `outcome`: of one case, or of a program. `next`: the time limit of the next case, which starts at once; `pause` when
 * `started` comes before it; `end` when it was the last.
 */
export type FromWorker =
  | { kind: 'started'; timeoutMs: number }
  | { kind: 'outcome'; text: string; next: number | 'pause' | 'end' };
