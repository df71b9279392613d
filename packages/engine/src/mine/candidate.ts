import {
  AssayError,
  type DiffMetadata,
  type Examination,
  type RejectionReason,
  type SentenceSource,
  type Severity,
  type Survivor,
  type TaskPart,
} from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { Ecosystem } from '../ecosystems/ecosystem.ts';
import type { Told } from './statement.ts';

/**
 * A problem, its solution and its tests: everything that a task is made from. Where they come from does not matter: a
 * commit, a row of a table, or a model that wrote all three. They only need a base commit.
 */
export interface Candidate {
  /** T0: the commit from which the task starts. */
  base: string;
  /** What is taken out of the commit to make T0, as a change against it: code that the task is to write again. */
  removed?: ChangeSet;
  /** Time of the base. */
  t0: Date;
  /** Title on the first line, then whatever else is known of the problem, as found. Not scrubbed. */
  message: string;
  /** Everything that tells the problem, what says most of it first, as found. Absent: the message alone. */
  sources?: readonly SourceText[];
  /** The problem, told by the pipeline itself. It passes the gates of every instruction as it stands, or ends the candidate. */
  stated?: Told;
  /** Text that came with the problem and must not be in an instruction: ids of advisories, people, versions. */
  identifiers?: readonly string[];
  /** When the commit of the fix was made. Absent where no commit holds it. */
  fixed?: Date;
  /** How severe an advisory says the problem is. Never told to an agent. */
  severity?: Severity;
  /** Parts that the context's model wrote. */
  byModel?: readonly TaskPart[];
  ecosystem: Ecosystem;
  /** The part of the change that solves the problem: sources, without files that steer the verifier. */
  reference: ChangeSet;
  /**
   * The part of the solution in files that steer the verifier. Kept out of the reference; it tells `config_change` from
   * `not_fixed`.
   */
  steering: ChangeSet;
  /** The part of the change that tests it. Empty when a model is to write the tests. */
  hidden: ChangeSet;
  /** Unified diff of the reference, for people. */
  referenceDiff: string;
  /** How submissions are compared with the reference where no test tells it. Absent: then it is no task. */
  compared?: Compared;
}

/** What becomes of a candidate that no test tells. */
export interface Compared {
  profile: DiffMetadata['profile'];
  /** Whether a model judges what is neither the same as the reference nor nothing. */
  judged: boolean;
  /** Whether nobody looks for tests. */
  always: boolean;
}

/** A text that tells a problem, or a part of it. */
export interface SourceText {
  source: SentenceSource;
  /** A title on the first line, or the only sentence. */
  text: string;
}

/** A candidate's end, if it may be remembered. */
export type CandidateResult = (
  | { outcome: 'admitted'; task: string; digest: string }
  | { outcome: 'rejected'; reason: RejectionReason; detail: string; survivors?: Survivor[] }
) & { examination?: Examination };

/** Thrown by a stage to end its candidate. */
export class Rejection extends Error {
  readonly reason: RejectionReason;
  readonly detail: string;
  /** Mutants that the tests let pass. */
  readonly survivors: Survivor[] | undefined;
  /** What the reason rests on, for a person; a line each. */
  readonly evidence: readonly string[];

  constructor(
    reason: RejectionReason,
    detail: string,
    { survivors, evidence = [] }: { survivors?: Survivor[]; evidence?: readonly string[] } = {},
  ) {
    super(`${reason}: ${detail}`);
    this.name = 'Rejection';
    this.reason = reason;
    this.detail = detail;
    this.survivors = survivors;
    this.evidence = evidence;
  }
}

/** Turns an error into a stage's rejection when the candidate, not the machine, is at fault; else returns null. */
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
