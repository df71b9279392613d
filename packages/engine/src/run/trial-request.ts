import type { SealName, Trial, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { Agent } from '../agents/agent.ts';
import type { OpenTask } from '../verify/open-task.ts';

/** One attempt of one agent at one task. */
export interface TrialRequest {
  task: OpenTask;
  agent: Agent | { cheat: string };
  attempt: number;
  provider: SandboxProvider;
  /** Seals that are off. Anything but the empty set marks the verdict `unsealed`. */
  unsealed: ReadonlySet<SealName>;
  /** Seconds that the agent has; default the task's own limit. */
  timeoutSec?: number;
  /** Directory of the trial inside a job; without it nothing is recorded. */
  directory?: string;
  signal?: AbortSignal;
}

export interface TrialResult {
  trial: Trial;
  verdict: Verdict;
  /** What the agent printed; untrusted. */
  log: string;
  /** For cheats: whether it got what it was after. */
  succeeded: boolean;
}
