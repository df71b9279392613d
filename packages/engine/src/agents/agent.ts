import type { ExecResult, Mount, Sandbox } from '@assay/sandbox';
import type { ChangeSet } from '@assay/files/change-set';
import type { ModelDialect } from '@assay/lanes/model-lane/contract';

/**
 * Something that attempts a task inside a sandbox that already holds the repository. What it leaves in the files is the
 * submission.
 */
export interface Agent {
  /** As users write it after `--agent`: `oracle`, `nop`, `exec`, `loop`, `cheat:B1`. */
  readonly name: string;
  /** Of an agent that asks a model: it gets a lane to one, and `--model` is needed. */
  readonly model?: ModelUse;
  /** Of a program that people install, exact; recorded. */
  readonly version?: string;
  /** Called once before the first trial, where there is something to install. */
  install?(options: InstallOptions): Promise<{ packages: AgentPackage[] }>;
  /** Called once for each trial, before its sandbox is made. */
  outfit?(place: OutfitPlace): Promise<AgentOutfit>;
  run(context: AgentContext): Promise<AgentRun>;
}

export interface InstallOptions {
  cacheDirectory: string;
  /** What is fetched just now; never called when all is there. */
  progress?: (text: string) => void;
  signal?: AbortSignal;
}

/** One package of an installation; `integrity` as npm writes it. */
export interface AgentPackage {
  name: string;
  version: string;
  integrity: string;
}

export interface ModelUse {
  /**
   * The dialects that it can speak, best first. The lane speaks those of them that the service speaks, as far as its
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

/** How the sandbox of an agent differs from that of another. */
export interface AgentOutfit {
  /** After the mount of the repository. */
  mounts: Mount[];
  /** Paths of the repository that its sandbox lacks. */
  deleted?: string[];
  /** Paths of the repository that it does not see as they are: they count as unchanged in its submission. */
  covered?: string[];
}

/** The model as an agent sees it, from inside its sandbox. */
export interface AgentModel {
  /** The one name that the lane lets pass. */
  name: string;
  /** Base URL for clients, by dialect: `http://127.0.0.1:PORT/v1`. One at least of those that the agent speaks. */
  endpoints: Partial<Record<ModelDialect, string>>;
  /** Of this trial; never the real key, and worth nothing once the agent has ended. */
  token: string;
}

export interface AgentContext {
  sandbox: Sandbox;
  /** What the task asks for; the only thing about the task that an honest agent is told. */
  instruction: string;
  /**
   * Of a task made of a standard: the path, below `/workspace`, of the one file that is graded. The instruction names
   * it too.
   */
  answer?: string;
  /** Milliseconds; the agent is killed after it, and what it left until then is graded. */
  timeoutMs: number;
  /** For agents that ask a model. */
  model?: AgentModel;
  /** For `oracle` alone: the answer, read from the bundle on the host; null when it carries none. */
  reference: () => Promise<ChangeSet | null>;
  /** Fires also when the lane to the model has stopped and the agent goes on nevertheless. */
  signal?: AbortSignal;
  /**
   * With the seal `separate-verifier` off: a shell line that the agent's own process tree goes on with, so that what it
   * left running is still there when grading begins.
   */
  continuation?: { argv: string[]; env: Record<string, string>; stdin: string };
}

export interface AgentRun {
  /** Null when the agent ran no command at all. */
  exec: ExecResult | null;
  /** The `continuation` was run in the same process tree, and `exec.stdout` is its output alone. */
  continued?: boolean;
  /**
   * It did not fail at the task but could not work at it: refused to start, its tools denied, stopped by limits of its
   * own.
   */
  couldNotWork?: boolean;
  /** Why it handed in less than it was to, in one line. Holds nothing that came from inside the sandbox. */
  note?: string;
}
