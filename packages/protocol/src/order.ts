import { z } from 'zod';
import { JobModel } from './job.ts';
import { SEAL_NAMES } from './seals.ts';

/** The name of a seal. */
const Seal = z.enum(SEAL_NAMES);

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
