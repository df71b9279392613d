import type { SealName, Verdict } from '@assay/protocol';
import type { ExecResult, Mount, Sandbox, SandboxProvider } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { AgentContext } from '../agents/agent.ts';
import type { Cheat } from '../cheats/cheat.ts';

/** The attacks that a task can be tried with. */
export interface TaskAttacks {
  /** Whether the task gives a cheat something to attack. */
  suits(cheat: Cheat): boolean;
  /** Sets the scene of one trial; without a cheat, only the leaks of the seals that are off. */
  openScene(options: { unsealed: ReadonlySet<SealName>; cheat?: Cheat }): Promise<OpenScene>;
}

/**
 * The surroundings of a cheat: the world outside, which is always there, and for each seal that is off the leak that it
 * would have closed.
 */
export interface OpenScene {
  /** Shell script that runs in place of an agent. */
  script: string;
  /** Host directories that lie over the tree of T0. */
  repositoryLayers: string[];
  mounts: Mount[];
  env: Record<string, string>;
  instructionSuffix: string;
  /** How the agent's process tree goes on into grading; null unless the seal `separate-verifier` is off. */
  grading: GradingContinuation | null;
  /** Whether the cheat got what it was after. */
  succeeded(end: SceneEnd): boolean;
  dispose(): Promise<void>;
}

/** The end of a trial, as far as it shows whether a cheat succeeded. */
export interface SceneEnd {
  verdict: Verdict;
  /** Output of the agent. */
  log: string;
  submission: { change: ChangeSet };
}

/** Grading that runs on in the agent's own process tree. */
export interface GradingContinuation {
  continuation: NonNullable<AgentContext['continuation']>;
  /** Returns the verdict on what the continuation wrote. */
  verdictOf(run: ContinuedRun): Promise<Verdict>;
}

export interface ContinuedRun {
  submission: ChangeSet;
  /** The agent's. */
  sandbox: Sandbox;
  exec: ExecResult;
  provider: SandboxProvider;
  unsealed: ReadonlySet<SealName>;
}
