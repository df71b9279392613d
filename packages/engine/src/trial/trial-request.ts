import type { Judgement, SealName, Trial, TrialUsage, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { Agent } from '../agents/agent.ts';
import type { ModelJudgeOptions } from '@assay/judging/standards/judge-prompt/judge-by-model';
import type { TrialModel } from './agent-model.ts';
import type { OpenTask } from '../kinds/kind.ts';

/** One attempt of one agent at one task. */
export interface TrialRequest {
  task: OpenTask;
  agent: Agent | { cheat: string };
  attempt: number;
  provider: SandboxProvider;
  /** Seals that are off. Anything but the empty set marks the verdict `unsealed`. */
  unsealed: ReadonlySet<SealName>;
  /** Plausible wrong fixes in the agent's sandbox, of repository tasks with every seal on. Default true. */
  canaries?: boolean;
  /** What the agent asks, for agents that ask a model. */
  agentModel?: TrialModel;
  /** Earlier tries of this attempt that came to nothing. */
  discarded?: { tries: number; usage?: TrialUsage };
  /** Judges answers to standards, where only a model can. */
  model?: ModelJudgeOptions;
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
  /** Of standard tasks that could be judged. */
  judgement?: Judgement;
  /** As `TaskVerdict` has it. */
  grade?: object;
  /** What ran the submission when it was graded, for the receipt. */
  gradedBy: string;
  /** Why nobody could judge it, when trying again would come to the same. */
  missing?: string;
}
