import { AssayError, type RejectionReason } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';

/** A fix and its tests: what a task may be made of. */
export interface Candidate {
  /** The commit before the fix: T0. */
  parent: string;
  /** Time of the parent. */
  t0: Date;
  /**
   * Title on the first line, then what else is known of the problem: of the commit, or of an advisory. Not scrubbed.
   */
  message: string;
  /** What an advisory names and an instruction must not: ids, people, versions. */
  identifiers?: readonly string[];
  ecosystem: Ecosystem;
  /** The part of the change that solves it: sources, without files that steer the verifier. */
  reference: ChangeSet;
  /**
   * What the fix changes of files that steer the verifier. Kept out of the reference; tells `config_change` from
   * `not_fixed`.
   */
  steering: ChangeSet;
  /** The part that tests it. */
  hidden: ChangeSet;
  /** Unified diff of the reference, for people. */
  referenceDiff: string;
}

/** How one candidate ended. */
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
      return new Rejection('too_large', error.message);
    case 'UNSUPPORTED_ENTRY':
    case 'UNSAFE_PATH':
      return new Rejection('unsupported_entry', error.message);
    case 'INTERPRETER_MISSING':
      return new Rejection('no_interpreter', error.message);
    case 'ENVIRONMENT_FAILED':
      return new Rejection('environment_failed', error.message);
    default:
      return null;
  }
}
