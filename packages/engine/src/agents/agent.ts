import type { ExecResult, Sandbox } from '@assay/sandbox';
import type { ChangeSet } from '../files/change-set.ts';

/** Something that attempts a task inside a sandbox that already holds the repository. What it leaves in the files is the submission. */
export interface Agent {
  /** As users write it after `--agent`: `oracle`, `nop`, `exec`, `cheat:B1`. */
  readonly name: string;
  run(context: AgentContext): Promise<AgentRun>;
}

export interface AgentContext {
  sandbox: Sandbox;
  /** What the task asks for; the only thing about the task that an honest agent is told. */
  instruction: string;
  /** Milliseconds; the agent is killed after it, and what it left until then is graded. */
  timeoutMs: number;
  /** For `oracle` alone: the answer, read from the bundle on the host; null when it carries none. */
  reference: () => Promise<ChangeSet | null>;
  signal?: AbortSignal;
  /**
   * With the seal `separate-verifier` off: a shell line that the agent's own process tree goes on with, so that what it left running
   * is still there when grading begins.
   */
  continuation?: { argv: string[]; env: Record<string, string>; stdin: string };
}

export interface AgentRun {
  /** Null when the agent ran no command at all. */
  exec: ExecResult | null;
  /** The `continuation` was run in the same process tree, and `exec.stdout` is its output alone. */
  continued?: boolean;
  /** Why it handed in less than it was to, in one line. */
  note?: string;
}
