import type { OfferedTool } from './conversation/conversation.ts';

/** An agent trajectory in the interchange format ATIF 1.7, as far as Assay writes it. */
export interface Trajectory {
  schema_version: 'ATIF-v1.7';
  /** Of the run: root and embedded trajectories share it. */
  session_id?: string;
  /** Of embedded trajectories. */
  trajectory_id?: string;
  agent: { name: string; version: string; model_name?: string; tool_definitions?: OfferedTool[] };
  /** At least one. */
  steps: Step[];
  notes?: string;
  /** Of a root: over embedded trajectories too. */
  final_metrics?: FinalMetrics;
  subagent_trajectories?: Trajectory[];
  extra?: Record<string, unknown>;
}

export interface Step {
  /** From 1, without gaps. */
  step_id: number;
  /** ISO 8601. */
  timestamp?: string;
  source: 'system' | 'user' | 'agent';
  message: string;
  /** This and the next three: of agents only. */
  model_name?: string;
  reasoning_content?: string;
  tool_calls?: ToolCall[];
  metrics?: Metrics;
  observation?: { results: ObservationResult[] };
  is_copied_context?: boolean;
  llm_call_count?: number;
  extra?: Record<string, unknown>;
}

export interface ToolCall {
  tool_call_id: string;
  function_name: string;
  /** A tool that takes free text has it as `input`. */
  arguments: Record<string, unknown>;
}

export interface ObservationResult {
  /** A call of the same step. */
  source_call_id?: string;
  content: string;
}

export interface Metrics {
  /** Cached ones included. */
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
  /** US dollars. */
  cost_usd?: number;
  extra?: Record<string, unknown>;
}

export interface FinalMetrics {
  total_prompt_tokens: number;
  total_completion_tokens: number;
  total_cached_tokens: number;
  total_cost_usd?: number;
  total_steps: number;
  extra?: Record<string, unknown>;
}
