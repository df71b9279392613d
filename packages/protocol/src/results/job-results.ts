import { z } from 'zod';
import { TrialCanaries } from '../canaries.ts';
import { ItemFailure } from '../failure.ts';
import { Trial, TrialUsage } from '../job.ts';
import { Trajectory } from '../trajectory.ts';
import { Verdict } from '../verdict.ts';

/** The figures of a job. */
export const JobSummary = z.object({
  trials: z.number().int(),
  passed: z.number().int(),
  /** Excluded from the rate: their outcome is unknown. */
  invalid: z.number().int(),
  /** Passed of those that have an outcome; null when none has. */
  passRate: z.number().nullable(),
  /** Wilson score interval of the rate at 95 %. */
  ci95: z.tuple([z.number(), z.number()]).nullable(),
  /** Milliseconds of all trials together, as if one came after the other. */
  durationMs: z.number(),
  /** All that the trials used up together, discarded tries included; only of agents that ask a model. */
  usage: TrialUsage.optional(),
});
export type JobSummary = z.infer<typeof JobSummary>;

/** `assay run` */
export const JobResult = z.object({
  job: z.string(),
  directory: z.string(),
  trials: z.array(Trial),
  /** Tasks and trials that came to no answer, and why. */
  failures: z.array(ItemFailure),
  summary: JobSummary,
});
export type JobResult = z.infer<typeof JobResult>;

/** Where in the directory of a trial something stands. */
export const Place = z.object({
  /** Relative to the directory of the trial. */
  file: z.string(),
  /** Step of the trajectory. */
  step: z.number().int().optional(),
  /** The embedded trajectory that the step belongs to. */
  trajectory: z.string().optional(),
  /** Number in the lane's record. */
  sequence: z.number().int().optional(),
  /** From 1. */
  line: z.number().int().optional(),
});
export type Place = z.infer<typeof Place>;

/** Something in a trial that a rule of the audit says should not be there. */
export const Finding = z.object({
  rule: z.string(),
  severity: z.enum(['critical', 'warning', 'note']),
  title: z.string(),
  trial: z.string(),
  /** `text` is an excerpt of what stands there, and foreign; `start` and `end` say where in it the match is. */
  evidence: Place.extend({ text: z.string(), start: z.number().int(), end: z.number().int() }),
});
export type Finding = z.infer<typeof Finding>;

/** `assay audit` */
export const JobAudit = z.object({
  job: z.string(),
  trials: z.number().int(),
  /** Trials whose verdict cannot be trusted before a person has looked. */
  untrustworthy: z.array(z.string()),
  findings: z.array(Finding),
});
export type JobAudit = z.infer<typeof JobAudit>;

/** submission/manifest.json: what an agent handed over. */
export const SubmissionManifest = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      executable: z.boolean(),
      size: z.number(),
      /** From and to, from 1 and both included: the lines that T0's file of that name does not have. */
      newLines: z.array(z.tuple([z.number(), z.number()])).optional(),
    }),
  ),
  deleted: z.array(z.string()),
  /** Paths that were left out of the submission, and why. */
  dropped: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type SubmissionManifest = z.infer<typeof SubmissionManifest>;

/** `assay show`: a finished trial as its directory tells it. What agents wrote is foreign text. */
export const RecordedTrial = z.object({
  directory: z.string(),
  trial: Trial,
  verdict: Verdict.nullable(),
  submission: SubmissionManifest.nullable(),
  /** All that the grader found, in the form of whoever graded. */
  grade: z.unknown().optional(),
  canaries: TrialCanaries.optional(),
  /** Output of the agent, cut after 4 MiB. */
  log: z.string(),
  /** ATIF 1.7; null when the agent asked no model. */
  trajectory: Trajectory.nullable(),
});
export type RecordedTrial = z.infer<typeof RecordedTrial>;
