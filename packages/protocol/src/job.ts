import { z } from 'zod';
import { IsolationLevel, Outcome, Trust } from './verdict.ts';

/** job.json: what was asked. Resume compares it. */
export const Job = z.object({
  version: z.literal(1),
  id: z.string(),
  createdAt: z.string(),
  agent: z.string(),
  attempts: z.number().int().positive(),
  timeoutSec: z.number().positive().nullable(),
  provider: z.string(),
  unseal: z.array(z.string()),
  /** The model that judges answers to standards. */
  judge: z.object({ endpoint: z.string(), model: z.string() }).optional(),
  tasks: z.array(z.object({ id: z.string(), digest: z.string() })),
});
export type Job = z.infer<typeof Job>;

/** trials/<id>/trial.json: one attempt of one agent at one task; written last, so its presence means finished. */
export const Trial = z.object({
  version: z.literal(1),
  id: z.string(),
  task: z.string(),
  agent: z.string(),
  attempt: z.number().int().positive(),
  outcome: Outcome,
  reward: z.number().nullable(),
  trust: Trust,
  isolation: IsolationLevel,
  durationMs: z.number().nonnegative(),
  startedAt: z.string(),
  agentRun: z.object({ exitCode: z.number().int().nullable(), timedOut: z.boolean(), durationMs: z.number() }),
  note: z.string().optional(),
});
export type Trial = z.infer<typeof Trial>;
