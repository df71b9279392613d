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
 * A coding agent as people install it from npm, with everything that Assay has to know about it. One member per file;
 * `docs/agents.md` lists them.
 */
export interface CliRecipe {
  /** Name as after `--agent`. */
  readonly name: string;
  /** Name of the package on npm. */
  readonly package: string;
  /** Version used when none is asked for. Everything here was tried with it. */
  readonly version: string;
  /**
   * Integrity of the packages of {@link version}, by `name@version`, in npm's notation. A registry that differs is
   * refused.
   */
  readonly integrity: Readonly<Record<string, string>>;
  /** Dialects that it speaks, best first. */
  readonly dialects: readonly ModelDialect[];
  /** Whether it is a Node program rather than a standalone one. */
  readonly needsNode: boolean;
  parts(platform: CliPlatform): CliParts;
  /**
   * Paths of a repository that would steer it, apart from texts for agents that belong to a task (AGENTS.md and the
   * like).
   */
  readonly steering: readonly string[];
  launch(setting: CliSetting): CliLaunch;
  /** The `type`s of the events that {@link judge} examines. */
  readonly telling: readonly string[];
  /**
   * Judges how it ended by its own last words; null when there were none. `events` are those of {@link telling}, oldest
   * first. Everything is untrusted.
   */
  judge(events: readonly CliEvent[], stderr: string): CliEnd | null;
  /** Meaning of its exit codes when there was no such event. Default: none. */
  readonly exitCodes?: Readonly<Record<number, CliEnd>>;
}

export interface CliPlatform {
  arch: string;
  libc: 'glibc' | 'musl';
  /** On x64: instructions that programs for newer processors use. */
  avx2: boolean;
}

export interface CliParts {
  /** Whether the package itself holds the program. */
  own: boolean;
  /** Its optional dependencies to install. `needed`: without it there is no program for this machine. */
  optional: ReadonlyArray<{ name: string; needed: boolean }>;
}

export interface CliSetting {
  /** Exact name of the model. */
  model: string;
  dialect: ModelDialect;
  /** Base address of the lane, as seen inside the sandbox. */
  endpoint: string;
  token: string;
  /** Directory of its packages inside the sandbox: `node_modules` of an installation. */
  modules: string;
  platform: CliPlatform;
  /** The agent's own directory inside the sandbox. */
  home: string;
}

export interface CliLaunch {
  /** Command, run without a shell. The instruction is on standard input, which is then closed. */
  argv: string[];
  env: Record<string, string>;
  /** Settings, by absolute path inside the sandbox. */
  files: Record<string, string>;
  /** Directories with programs that it looks for; they come after the task's own. */
  path?: string[];
}

/** One line of its output. */
export type CliEvent = Readonly<Record<string, unknown>>;

/**
 * How it ended, in its own words. `ended`: it said that it was done, whatever it did. `failed`: it met an error.
 * `could-not-work`: it refused to start, or its tools were denied. `stopped`: the lane refused to continue; the lane's
 * own record says why. `limits`: it hit its own limits, or the sandbox's on time and memory.
 */
export interface CliEnd {
  state: 'ended' | 'failed' | 'could-not-work' | 'stopped' | 'limits';
  /** One line, harmless in a terminal; untrusted. */
  detail: string;
}

/** An installation in the cache. */
export interface InstalledCli {
  version: string;
  /** Host directory that holds `node_modules`. */
  directory: string;
  packages: AgentPackage[];
}

export interface CliAgentRun extends AgentRun {
  end: CliEnd;
}

/** A coding agent at one version. */
export interface CliAgent extends Agent {
  readonly recipe: CliRecipe;
  readonly version: string;
  /**
   * Installs it into the cache unless it is there. Throws `BAD_OPTION` for a version that npm does not have,
   * `LANE_FAILED` and `UPSTREAM_UNKNOWN`.
   */
  install(options: InstallOptions): Promise<InstalledCli>;
  /** Provides its program and covers what would steer it. Needs no network once installed. */
  outfit(place: OutfitPlace): Promise<Required<AgentOutfit>>;
  run(context: AgentContext): Promise<CliAgentRun>;
}
