import { AssayError, type RejectionReason } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';

/**
 * A problem, its solution and its tests: all that a task is made of. Nothing here says where they come from. A commit
 * may hold them, a row of a table, or a model that wrote all three; what they need is a base commit to stand on.
 */
export interface Candidate {
  /** T0: the commit that the task starts from. */
  base: string;
  /** Time of the base. */
  t0: Date;
  /** Title on the first line, then what else is known of the problem, as it was found. Not scrubbed. */
  message: string;
  /** What came with the problem and must not stand in an instruction: ids of advisories, people, versions. */
  identifiers?: readonly string[];
  ecosystem: Ecosystem;
  /** The part of the change that solves it: sources, without files that steer the verifier. */
  reference: ChangeSet;
  /**
   * What the solution changes of files that steer the verifier. Kept out of the reference; tells `config_change` from
   * `not_fixed`.
   */
  steering: ChangeSet;
  /** The part that tests it. Empty when a model is to write the tests. */
  hidden: ChangeSet;
  /** Unified diff of the reference, for people. */
  referenceDiff: string;
}

/** A candidate's end that may be remembered. */
export type CandidateResult =
  | { outcome: 'admitted'; task: string; digest: string }
  | { outcome: 'rejected'; reason: RejectionReason; detail: string };

/** Thrown by a stage to end its candidate. */
export class Rejection extends Error {
  readonly reason: RejectionReason;
  readonly detail: string;

  constructor(reason: RejectionReason, detail: string) {
    super(`${reason}: ${detail}`);
    this.name = 'Rejection';
    this.reason = reason;
    this.detail = detail;
  }
}

/** As a stage's rejection, when an error says that the candidate and not the machine is at fault; else null. */
export function rejectionOf(error: unknown): Rejection | null {
  if (error instanceof Rejection) return error;
  if (!AssayError.is(error)) return null;
  switch (error.code) {
    case 'MISSING_OBJECT':
      return new Rejection('missing_objects', error.message);
    case 'OBJECT_TOO_LARGE':
    case 'SUBMISSION_TOO_LARGE':
      return new Rejection('too_large', error.message);
    case 'UNSUPPORTED_ENTRY':
    case 'UNSAFE_PATH':
      return new Rejection('unsupported_entry', error.message);
    case 'ENVIRONMENT_FAILED':
      return new Rejection('environment_failed', error.message);
    case 'SANDBOX_FILE_FAILED':
      return new Rejection('suite_broken', error.message);
    default:
      return null;
  }
}
