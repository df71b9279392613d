import type { ModelDialect } from '@assay/lanes/model-lane/contract';
import type {
  Agent,
  AgentContext,
  AgentOutfit,
  AgentPackage,
  AgentRun,
  InstallOptions,
  OutfitPlace,
} from '../agent.ts';

/**
 * A coding agent as people install it from npm, and all that Assay has to know about it. One member a file;
 * `docs/agents.md` lists them.
 */
export interface CliRecipe {
  /** As after `--agent`. */
  readonly name: string;
  /** On npm. */
  readonly package: string;
  /** What is taken when no version is asked for: everything here was tried with it. */
  readonly version: string;
  /**
   * Of the packages of {@link version}, by `name@version`, as npm writes it. A registry that says otherwise is refused.
   */
  readonly integrity: Readonly<Record<string, string>>;
  /** What it speaks, the preferred one first. */
  readonly dialects: readonly ModelDialect[];
  /** A program of Node, as opposed to one that stands alone. */
  readonly needsNode: boolean;
  parts(platform: CliPlatform): CliParts;
  /**
   * Paths of a repository that would steer it, beside the texts for agents that belong to a task (AGENTS.md and the
   * like).
   */
  readonly steering: readonly string[];
  launch(setting: CliSetting): CliLaunch;
  /** The `type` of the events that {@link judge} looks at. */
  readonly telling: readonly string[];
  /**
   * What its own last words say; null when it had none. `events` are those of {@link telling}, oldest first; all is
   * untrusted.
   */
  judge(events: readonly CliEvent[], stderr: string): CliEnd | null;
  /** What its exit code says when there was no such event. Default: nothing. */
  readonly exitCodes?: Readonly<Record<number, CliEnd>>;
}

export interface CliPlatform {
  arch: string;
  libc: 'glibc' | 'musl';
  /** Of x64: instructions that programs for newer processors use. */
  avx2: boolean;
}

export interface CliParts {
  /** The package itself holds the program. */
  own: boolean;
  /** Of its optional dependencies. `needed`: without it there is no program for this machine. */
  optional: ReadonlyArray<{ name: string; needed: boolean }>;
}

export interface CliSetting {
  /** Exact name of the model. */
  model: string;
  dialect: ModelDialect;
  /** Base address of the lane, as seen inside. */
  endpoint: string;
  token: string;
  /** Where its packages lie inside: `node_modules` of an installation. */
  modules: string;
  platform: CliPlatform;
  /** A directory inside, of the agent's own. */
  home: string;
}

export interface CliLaunch {
  /** Without a shell; the instruction is on standard input, which is then closed. */
  argv: string[];
  env: Record<string, string>;
  /** Settings, by absolute path inside. */
  files: Record<string, string>;
  /** Directories with programs that it looks for; behind those of the task. */
  path?: string[];
}

/** One line of its output. */
export type CliEvent = Readonly<Record<string, unknown>>;

/**
 * How it ended, by its own words: what ends as `ended` has said so, whatever it did. `failed`: it met an error.
 * `could-not-work`: it refused to start, or its tools were denied. `stopped`: the lane refused to go on; the lane's own
 * record says why. `limits`: its own limits, or those of the sandbox on time and memory.
 */
export interface CliEnd {
  state: 'ended' | 'failed' | 'could-not-work' | 'stopped' | 'limits';
  /** One line, harmless in a terminal; untrusted. */
  detail: string;
}

/** An installation in the cache. */
export interface InstalledCli {
  version: string;
  /** Of the host; holds `node_modules`. */
  directory: string;
  packages: AgentPackage[];
}

export interface CliAgentRun extends AgentRun {
  end: CliEnd;
}

/** One of the four at one version. */
export interface CliAgent extends Agent {
  readonly recipe: CliRecipe;
  readonly version: string;
  /**
   * Installs it into the cache unless it is there. Throws `BAD_OPTION` for a version that npm does not have,
   * `LANE_FAILED`, `UPSTREAM_UNKNOWN`.
   */
  install(options: InstallOptions): Promise<InstalledCli>;
  /** Its program, and a cover over what would steer it. No network when it is installed. */
  outfit(place: OutfitPlace): Promise<Required<AgentOutfit>>;
  run(context: AgentContext): Promise<CliAgentRun>;
}
