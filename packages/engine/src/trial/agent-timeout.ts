import type { TrialRequest } from './trial-request.ts';

/** Agents without a limit of their own stop after this. */
const DEFAULT_SEC = 1800;

/** Milliseconds that the agent of a trial has. */
export function agentTimeoutMs({ task, timeoutSec }: Pick<TrialRequest, 'task' | 'timeoutSec'>): number {
  return (timeoutSec ?? task.task.toml.agent.timeout_sec ?? DEFAULT_SEC) * 1000;
}
