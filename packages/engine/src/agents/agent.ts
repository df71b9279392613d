import type { ExecResult, Mount, Sandbox } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { ModelDialect } from '@assay/lanes/model-lane/contract';

/**
 * Something that attempts a task inside a sandbox that already holds the repository. The files it leaves there are the
 * submission.
 */
export interface Agent {
  /** Name as after `--agent`: `oracle`, `nop`, `exec`, `loop`, `cheat:B1`. */
  readonly name: string;
  /** Set for an agent that asks a model: it gets a lane to one, and `--model` is required. */
  readonly model?: ModelUse;
  /** Exact version, recorded, of a program that people install. */
  readonly version?: string;
  /** Called once before the first trial, if there is something to install. */
  install?(options: InstallOptions): Promise<{ packages: AgentPackage[] }>;
  /** Called once per trial, before its sandbox is made. */
  outfit?(place: OutfitPlace): Promise<AgentOutfit>;
  run(context: AgentContext): Promise<AgentRun>;
}

export interface InstallOptions {
  cacheDirectory: string;
  /** Reports what is being fetched; never called when everything is there. */
  progress?: (text: string) => void;
  signal?: AbortSignal;
}

/** One package of an installation; `integrity` is in npm's notation. */
export interface AgentPackage {
  name: string;
  version: string;
  integrity: string;
}

export interface ModelUse {
  /**
   * The dialects that it can speak, best first. The lane offers those of them that the service speaks, as far as its
   * address tells.
   */
  readonly dialects: readonly ModelDialect[];
}

export interface OutfitPlace {
  cacheDirectory: string;
  /** The repository at T0, on the host; may be hostile. */
  t0Directory: string;
  signal?: AbortSignal;
}

/** How an agent's sandbox differs from that of another. */
export interface AgentOutfit {
  /** Mounts to add after that of the repository. */
  mounts: Mount[];
  /** Paths of the repository that are missing from its sandbox. */
  deleted?: string[];
  /** Paths of the repository that it does not see as they are; they count as unchanged in its submission. */
  covered?: string[];
}

/** The model as an agent sees it from inside its sandbox. */
export interface AgentModel {
  /** The only model name that the lane accepts. */
  name: string;
  /** Base URLs for clients, by dialect: `http://127.0.0.1:PORT/v1`. Has at least one dialect that the agent speaks. */
  endpoints: Partial<Record<ModelDialect, string>>;
  /** Token of this trial. It is never the real key, and worthless once the agent has ended. */
  token: string;
}

export interface AgentContext {
  sandbox: Sandbox;
  /** The task's instruction, the only thing that an honest agent is told about the task. */
  instruction: string;
  /**
   * For a task made from a standard: the path, below `/workspace`, of the one file that is graded. The instruction
   * names it too.
   */
  answer?: string;
  /** Limit in milliseconds. The agent is killed at the limit, and whatever it left by then is graded. */
  timeoutMs: number;
  /** The model, for agents that ask one. */
  model?: AgentModel;
  /** Reads the answer from the bundle on the host, for `oracle` alone; null when the bundle has none. */
  reference: () => Promise<ChangeSet | null>;
  /** Also fires when the lane to the model has stopped and the agent continues anyway. */
  signal?: AbortSignal;
  /**
   * With the seal `separate-verifier` off: a command that the agent's own process tree continues with, so that whatever
   * it left running is still there when grading begins.
   */
  continuation?: { argv: string[]; env: Record<string, string>; stdin: string };
}

export interface AgentRun {
  /** Null when the agent ran no command at all. */
  exec: ExecResult | null;
  /** Whether the `continuation` ran in the same process tree; if so, `exec.stdout` is its output alone. */
  continued?: boolean;
  /**
   * Set when it did not fail at the task but could not work on it: it refused to start, its tools were denied, or it
   * hit limits of its own.
   */
  couldNotWork?: boolean;
  /** Why it handed in less than it should have, in one line. Contains nothing from inside the sandbox. */
  note?: string;
}
