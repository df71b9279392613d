import type { AgentStatus, Judgement, SealName, Trial, TrialCanaries, TrialUsage, Verdict } from '@assay/protocol';
import type { SandboxProvider } from '@assay/sandbox';
import type { Agent, AgentRun } from '../agents/agent.ts';
import type { ChangeSet } from '@assay/files/change-set';
import type { ModelJudgeOptions } from '@assay/judging/standards/judge-prompt/judge-by-model';
import type { TrialModel } from './lanes/agent-model.ts';
import type { OpenTask } from '../kinds/kind.ts';

/** One attempt of one agent at one task. */
export interface TrialRequest {
  task: OpenTask;
  agent: Agent | { cheat: string };
  attempt: number;
  provider: SandboxProvider;
  /** Seals that are off. Anything but the empty set marks the verdict `unsealed`. */
  unsealed: ReadonlySet<SealName>;
  /** Plausible wrong fixes in the agent's sandbox, where the task makes some and every seal is on. Default true. */
  canaries?: boolean;
  /** The model of an agent that asks one. */
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

/** Agents without a limit of their own stop after this. */
const DEFAULT_TIMEOUT_SEC = 1800;

/** Milliseconds that the agent of a trial has. */
export function agentTimeoutMs({ task, timeoutSec }: Pick<TrialRequest, 'task' | 'timeoutSec'>): number {
  return (timeoutSec ?? task.task.toml.agent.timeout_sec ?? DEFAULT_TIMEOUT_SEC) * 1000;
}

/** The result of stage 2: how the agent's work ended. */
export interface AgentOutcome extends AgentRun {
  status: AgentStatus;
  /** Why, where the model's side ended it. */
  statusDetail?: string;
  /** Only for agents that ask a model. */
  usage?: TrialUsage;
  /** Standard output and error of the agent, in that order; untrusted. */
  log: string;
}

/** The result of stage 3: what an agent hands in. */
export interface Submission {
  change: ChangeSet;
  /** Paths that the agent left and that are not part of the submission, and why. */
  dropped: { path: string; reason: string }[];
  /** The canaries planted for the agent, and what became of them. */
  canaries?: TrialCanaries;
  /** Set when there is no submission to grade: the reason for a score of 0. */
  refused?: string;
}

export interface TrialResult {
  trial: Trial;
  verdict: Verdict;
  /** Output of the agent; untrusted. */
  log: string;
  /** For cheats: whether it got what it was after. */
  succeeded: boolean;
  /** The judgement that the verdict follows from, where there was one. */
  judgement?: Judgement;
  /** As `TaskVerdict` has it. */
  grade?: object;
  /** Name of the provider that ran the submission for its verdict, as the receipt names it. */
  gradedBy: string;
  /**
   * Why the outcome is `invalid`: what is around the agent broke (the agent has to work again), or the verifier did
   * (stage 4 was retried, to no avail), or nobody can judge it.
   */
  broke?: 'agent' | 'verifier' | 'judge';
}
