import { z } from 'zod';
import { IsolationLevel, Outcome, Trust } from './verdict.ts';

const Count = z.number().int().nonnegative();

/** The model that an agent asks, and what one trial may use up. Holds no key. */
export const JobModel = z.object({
  name: z.string(),
  /** Base address of the service, without credentials. */
  endpoint: z.string(),
  dialects: z.array(z.string()),
  /** Limits of one trial. `usd` is in US dollars. */
  budgets: z.object({
    requests: Count.optional(),
    totalTokens: Count.optional(),
    usd: z.number().positive().optional(),
  }),
  /** US dollars per million tokens; absent when no price is known. */
  price: z
    .object({
      inputPerMillion: z.number(),
      outputPerMillion: z.number(),
      cachedInputPerMillion: z.number().optional(),
      cacheWritePerMillion: z.number().optional(),
    })
    .optional(),
});
export type JobModel = z.infer<typeof JobModel>;

/** Model usage of an agent, as the lane counted it. */
export const TrialUsage = z.object({
  /** Includes refused ones. */
  requests: Count,
  /** Cached input included. */
  inputTokens: Count,
  cachedInputTokens: Count,
  /** Reasoning included. */
  outputTokens: Count,
  /** US dollars; null when no price is known. */
  usd: z.number().nonnegative().nullable(),
  /** Attempts that failed at the service and were retried, unseen by the agent. */
  retries: Count,
  /** Answers without a usage report from the service. Their tokens are estimated. */
  estimated: Count,
});
export type TrialUsage = z.infer<typeof TrialUsage>;

/**
 * How an agent's work ended. `budget`: what it may use up of its model was spent. `infrastructure`: its model failed,
 * and the trial says nothing about it. `could-not-work`: it refused to start, was denied its tools, or was stopped by
 * limits of its own.
 */
export const AgentStatus = z.enum(['ended', 'timed-out', 'budget', 'infrastructure', 'could-not-work']);
export type AgentStatus = z.infer<typeof AgentStatus>;

/** A task of a dataset that could not be read or opened. */
export const QuarantinedTask = z.object({
  /** Name of its directory. */
  directory: z.string(),
  /** Its id, where the bundle could be read. */
  task: z.string().optional(),
});
export type QuarantinedTask = z.infer<typeof QuarantinedTask>;

/** job.json: what was asked. Resume compares it. */
export const Job = z.object({
  version: z.literal(1),
  id: z.string(),
  createdAt: z.string(),
  agent: z.string(),
  /** Version of an agent that is a program of its own, such as a CLI. */
  agentVersion: z.string().optional(),
  /** Packages that npm installed for it, with `integrity` as npm writes it. */
  agentPackages: z.array(z.object({ name: z.string(), version: z.string(), integrity: z.string() })).optional(),
  attempts: z.number().int().positive(),
  timeoutSec: z.number().positive().nullable(),
  provider: z.string(),
  unseal: z.array(z.string()),
  /** Directories of the machine that the agent `exec` got to see. */
  agentMounts: z.array(z.object({ source: z.string(), target: z.string() })).optional(),
  /** Present for agents that ask a model. */
  model: JobModel.optional(),
  /** The model that judges answers to standards. */
  judge: z.object({ endpoint: z.string(), model: z.string() }).optional(),
  tasks: z.array(z.object({ id: z.string(), digest: z.string() })),
  /** Tasks that were never tried: a resume takes them as they are by then. */
  quarantined: z.array(QuarantinedTask).optional(),
});
export type Job = z.infer<typeof Job>;

/** Names of the checks inside the sandbox before the agent started, and of those skipped because their seal is off. */
export const SealCheckRecord = z.object({
  passed: z.array(z.string()),
  skipped: z.array(z.string()),
  durationMs: z.number().nonnegative(),
});
export type SealCheckRecord = z.infer<typeof SealCheckRecord>;

/** trials/<id>/trial.json: one attempt of one agent at one task; written last, so its presence means finished. */
export const Trial = z.object({
  version: z.literal(1),
  id: z.string(),
  task: z.string(),
  agent: z.string(),
  agentVersion: z.string().optional(),
  attempt: z.number().int().positive(),
  outcome: Outcome,
  reward: z.number().nullable(),
  trust: Trust,
  isolation: IsolationLevel,
  durationMs: z.number().nonnegative(),
  startedAt: z.string(),
  agentRun: z.object({
    /** Absent in records of an older version. */
    status: AgentStatus.optional(),
    exitCode: z.number().int().nullable(),
    timedOut: z.boolean(),
    durationMs: z.number(),
  }),
  /** Absent in records of an older version, and when no agent was started. */
  sealCheck: SealCheckRecord.optional(),
  /** Present for agents that ask a model. */
  usage: TrialUsage.optional(),
  /**
   * Earlier tries of this attempt that came to nothing, through no fault of the agent: how many, and what they used up
   * beside `usage`.
   */
  discarded: z.object({ tries: Count, usage: TrialUsage.optional() }).optional(),
  note: z.string().optional(),
});
export type Trial = z.infer<typeof Trial>;
