import { z } from 'zod';

const Extra = z.record(z.string(), z.unknown()).optional();

/** Model usage of one step of an agent. */
export const TrajectoryMetrics = z.object({
  /** Includes cached tokens. */
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  cached_tokens: z.number(),
  /** US dollars. */
  cost_usd: z.number().optional(),
  extra: Extra,
});
export type TrajectoryMetrics = z.infer<typeof TrajectoryMetrics>;

/** A tool that an agent called. */
export const TrajectoryToolCall = z.object({
  tool_call_id: z.string(),
  function_name: z.string(),
  /** A tool that takes free text has it as `input`. */
  arguments: z.record(z.string(), z.unknown()),
});
export type TrajectoryToolCall = z.infer<typeof TrajectoryToolCall>;

/** One message of a trajectory, with the tools that it calls and what they answered. */
export const TrajectoryStep = z.object({
  /** Counted from 1, without gaps. */
  step_id: z.number().int(),
  /** ISO 8601. */
  timestamp: z.string().optional(),
  source: z.enum(['system', 'user', 'agent']),
  message: z.string(),
  /** This and the next three: steps of agents alone. */
  model_name: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(TrajectoryToolCall).optional(),
  metrics: TrajectoryMetrics.optional(),
  observation: z
    .object({
      /** `source_call_id` names a call of the same step. */
      results: z.array(z.object({ source_call_id: z.string().optional(), content: z.string() })),
    })
    .optional(),
  is_copied_context: z.boolean().optional(),
  llm_call_count: z.number().int().optional(),
  extra: Extra,
});
export type TrajectoryStep = z.infer<typeof TrajectoryStep>;

/** Model usage of all steps together. */
export const TrajectoryTotals = z.object({
  total_prompt_tokens: z.number(),
  total_completion_tokens: z.number(),
  total_cached_tokens: z.number(),
  total_cost_usd: z.number().optional(),
  total_steps: z.number().int(),
  extra: Extra,
});
export type TrajectoryTotals = z.infer<typeof TrajectoryTotals>;

/** trajectory.json: what an agent did, in the interchange format ATIF 1.7, as far as Assay writes it. */
export const Trajectory = z.object({
  schema_version: z.literal('ATIF-v1.7'),
  /** Root and embedded trajectories of a run share it. */
  session_id: z.string().optional(),
  /** Embedded trajectories alone. */
  trajectory_id: z.string().optional(),
  agent: z.object({
    name: z.string(),
    version: z.string(),
    model_name: z.string().optional(),
    tool_definitions: z
      .array(
        z.object({
          type: z.literal('function'),
          function: z.object({
            name: z.string(),
            description: z.string().optional(),
            parameters: z.unknown().optional(),
          }),
        }),
      )
      .optional(),
  }),
  /** At least one. */
  steps: z.array(TrajectoryStep),
  notes: z.string().optional(),
  /** Totals. Those of a root include its embedded trajectories. */
  final_metrics: TrajectoryTotals.optional(),
  get subagent_trajectories() {
    return z.array(Trajectory).optional();
  },
  extra: Extra,
});
export type Trajectory = z.infer<typeof Trajectory>;
