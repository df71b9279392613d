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

/** Agents without a limit of their own stop after this. */
const DEFAULT_TIMEOUT_SEC = 1800;

/** Milliseconds that the agent of a trial has. */
export function agentTimeoutMs({ task, timeoutSec }: Pick<TrialRequest, 'task' | 'timeoutSec'>): number {
  return (timeoutSec ?? task.task.toml.agent.timeout_sec ?? DEFAULT_TIMEOUT_SEC) * 1000;
}

/** How an agent's work ended: what stage 2 answers. */
export interface AgentOutcome extends AgentRun {
  status: AgentStatus;
  /** Why, where the model's side ended it. */
  statusDetail?: string;
  /** Only for agents that ask a model. */
  usage?: TrialUsage;
  /** Standard output and error of the agent, in that order; untrusted. */
  log: string;
}

/** What an agent hands over: what stage 3 answers. */
export interface Submission {
  change: ChangeSet;
  /** What the agent left that is no part of the submission, and why. */
  dropped: { path: string; reason: string }[];
  /** What was planted for the agent, and what became of it. */
  canaries?: TrialCanaries;
  /** Set when there is no submission to grade: the reason for a score of 0. */
  refused?: string;
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
  /**
   * Why the outcome is `invalid`: what is around the agent broke (the agent has to work again), or the verifier did
   * (stage 4 was retried, to no avail), or nobody can judge it.
   */
  broke?: 'agent' | 'verifier' | 'judge';
}
