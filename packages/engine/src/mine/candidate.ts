import type { RejectionReason } from '@assay/protocol';
import type { ChangeSet } from '../files/change-set.ts';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';

/** A commit that changes code and tests: what a task may be made of. */
export interface Candidate {
  /** The fix. Its hash never leaves the host. */
  commit: string;
  /** T0. */
  parent: string;
  /** Time of the parent. */
  t0: Date;
  message: string;
  ecosystem: Ecosystem;
  /** The part of the change that solves it: sources, without files that steer the verifier. */
  reference: ChangeSet;
  /** What the fix changes of files that steer the verifier. Kept out of the reference; tells `config_change` from `not_fixed`. */
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
