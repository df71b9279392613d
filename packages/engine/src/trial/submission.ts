import type { TrialCanaries } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';

/** What an agent hands over. */
export interface Submission {
  change: ChangeSet;
  /** What the agent left that is no part of the submission, and why. */
  dropped: { path: string; reason: string }[];
  /** What was planted for the agent, and what became of it. */
  canaries?: TrialCanaries;
  /** Set when there is no submission to grade: the reason for a score of 0. */
  refused?: string;
}
