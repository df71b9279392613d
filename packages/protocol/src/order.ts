import { z } from 'zod';
import { JobModel } from './job.ts';
import { BaxProfile } from './results/bax-results.ts';
import { SEAL_NAMES } from './seals.ts';

/** The name of a seal. */
const Seal = z.enum(SEAL_NAMES);

/** Full name of a commit. */
export const CommitName = z.string().regex(/^[0-9a-f]{40}$/);

/** The commits that a candidate is made of, for people. None of them appears in a task. */
export const FixCommits = z.object({
  /** The commit that holds the fix, the last one of several; a merge for all that it brought. Absent where no commit does. */
  commit: CommitName.optional(),
  /** The commits that a merge brought, where it is the fix: oldest first. None of them is a candidate by itself. */
  brought: z.array(CommitName).optional(),
  /** The later commit that brought the tests of the fix. It is no candidate by itself. */
  tests: CommitName.optional(),
});
export type FixCommits = z.infer<typeof FixCommits>;

/** A directory of the machine that an agent gets to see, read-only. */
export const AgentMount = z.strictObject({
  source: z.string(),
  /** Absolute, in the agent's sandbox. */
  target: z.string(),
});
export type AgentMount = z.infer<typeof AgentMount>;

/**
 * One trial as plain data: whoever has the task, the agent and a key for its model can run it, in another process or on
 * another machine. Keys are in no order; a worker takes them from its own environment.
 */
export const TrialOrder = z.strictObject({
  version: z.literal(1),
  kind: z.literal('trial'),
  /** Unique in its job, and the name of the trial's directory. */
  id: z.string(),
  /** Id of the job. */
  job: z.string(),
  task: z.strictObject({
    id: z.string(),
    /** Identifies the bundle. */
    digest: z.string(),
    /** Path of the bundle for the worker. */
    path: z.string(),
  }),
  agent: z.strictObject({
    /** As users write it after `--agent`. */
    name: z.string(),
    /** Command line of the agent `exec`. */
    command: z.string().optional(),
    mounts: z.array(AgentMount).default([]),
  }),
  attempt: z.number().int().positive(),
  /** Seals that are off. */
  unsealed: z.array(Seal),
  provider: z.string(),
  /** The agent's model. `policy` and `graceMs` are settings of its lane. */
  model: JobModel.extend({
    policy: z.record(z.string(), z.number()).optional(),
    graceMs: z.number().nonnegative().optional(),
  }).optional(),
  /** The model that judges answers to standards. */
  judge: z.strictObject({ endpoint: z.string(), model: z.string() }).optional(),
  /** Seconds that the agent has; default the task's own limit. */
  timeoutSec: z.number().positive().optional(),
});
export type TrialOrder = z.infer<typeof TrialOrder>;

/**
 * The grade of one sample as plain data: whoever knows the scenario and the framework by their ids, and gets at the two
 * paths, can grade it, in another process or on another machine.
 */
export const GradeOrder = z.strictObject({
  version: z.literal(1),
  kind: z.literal('grade'),
  /** Unique in its evaluation, and the name of the sample in progress and failures. */
  id: z.string(),
  scenario: z.string(),
  framework: z.string(),
  profile: BaxProfile,
  answer: z.strictObject({
    /** `response`: a file with what the model said. `code`: a directory with the files of the answer. */
    form: z.enum(['response', 'code']),
    path: z.string(),
    /** Identifies the answer as it was when it was ordered: its files, or why there are none. */
    digest: z.string(),
  }),
  provider: z.string(),
  /** Seconds until an instance must answer; default 60. */
  serverStartTimeoutSec: z.number().positive().optional(),
  /** Seconds of one test; default the profile's own. */
  testTimeoutSec: z.number().positive().optional(),
  /** Directory that gets the grade. */
  out: z.string(),
});
export type GradeOrder = z.infer<typeof GradeOrder>;

/**
 * What becomes of names, texts and messages that hidden tests demand and neither the instruction nor T0 tells. `tell`: a
 * line of the instruction tells them. `relax`: where the words of an exception are compared outside of the submission's
 * process, its class is compared alone; the rest is told. `reject`: there is no task.
 */
export const SpecificityPolicy = z.enum(['tell', 'relax', 'reject']);
export type SpecificityPolicy = z.infer<typeof SpecificityPolicy>;

/**
 * One candidate of `mine` as plain data: whoever reaches the repository and knows the pipeline can examine it, in
 * another process or on another machine. Keys are in no order, and no credentials for the repository.
 */
export const CandidateOrder = z.strictObject({
  version: z.literal(1),
  kind: z.literal('candidate'),
  /** Digest of the rest of the order. */
  id: z.string(),
  /** What the pipeline calls the candidate, for people. Foreign text. */
  label: z.string(),
  source: z.strictObject({
    /** Absolute path, or a URL without credentials. */
    repository: z.string(),
    /** A commit from which the candidate's commits were reached. */
    head: CommitName,
  }),
  pipeline: z.strictObject({ name: z.string(), version: z.string() }),
  /** For people; `data` alone says what is examined. */
  ...FixCommits.shape,
  /** What the pipeline found, in its own schema. */
  data: z.json(),
  specificity: SpecificityPolicy,
  /** `split`: a test of the fix must be compared outside of the submission's process, and no guess satisfy it. */
  require: z.enum(['split']).optional(),
  /** `package-lane`: agents of the task may install what its ecosystem's index had at T0. Default `none`. */
  network: z.enum(['none', 'package-lane']).optional(),
  /** Share of mutants of the reference that its tests have to tell, from 0 to 1; with 0 none are run. */
  minKilled: z.number().min(0).max(1),
  /** Whether the model writes tests for mutants that the others let pass. */
  strengthen: z.boolean().optional(),
  /** Writes statements and tests. */
  model: z.strictObject({ name: z.string(), endpoint: z.string() }).optional(),
  /** Default: the strongest that the worker's machine offers. */
  provider: z.string().optional(),
});
export type CandidateOrder = z.infer<typeof CandidateOrder>;
