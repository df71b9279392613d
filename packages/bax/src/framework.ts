import type { ForkServerProgram, Mount, SandboxProvider } from '@assay/sandbox';
import type { Language } from './profile.ts';

/** A language and a framework to implement an API in, as a model is told of it. */
export interface FrameworkPrompt {
  /** Upstream's name, such as `Go-net/http`. */
  id: string;
  language: Language;
  /** As the prompt names it. */
  name: string;
  /** The one file that an answer consists of; null where it consists of several. */
  codeFile: string | null;
  /**
   * The list of packages that may be used, shown in the prompt as it is. It wins over a file of the same path in an
   * answer.
   */
  manifest: { path: string; text(): string };
  /** Rules that an answer in this framework must follow. */
  instructions: string;
  /** Runs in /app and listens on port 5000. */
  startCommand: string;
}

export interface Framework extends FrameworkPrompt, FrameworkRecipe {}

/** How answers in a framework are built and started on this machine. */
export interface FrameworkRecipe {
  /**
   * Why answers cannot be graded on this machine, and what to do about it; null when they can. Cheap: nothing is
   * fetched.
   */
  unavailable(): Promise<string | null>;
  /**
   * Installs the packages once for a machine; later calls are answered by the cache. Throws `PROVIDER_UNAVAILABLE`,
   * `LANE_FAILED` and what sandboxes throw.
   */
  prepare(options: PrepareOptions): Promise<PreparedFramework>;
  /**
   * Commands for scenarios that a framework with a system of its own can bring. Default: the framework has those of
   * this machine.
   */
  programs?: readonly string[];
  /** Where a file of an answer goes in /app, null when it is left out. Default: where it is. */
  place?(path: string): string | null;
}

export interface PrepareOptions {
  provider: SandboxProvider;
  cacheDirectory: string;
  /** Commands that the scenario asks for, for frameworks with a system of their own. */
  programs?: readonly string[];
  signal?: AbortSignal;
  /** One line of progress, for a person. */
  progress?: (text: string) => void;
}

/** Everything that an answer is built and run with, read-only. */
export interface PreparedFramework {
  /** Tells its results from those of another machine, such as `Python 3.12.1` or `Rails 7.2, Debian 13`. */
  variant: string;
  /** sha256 hex over lock, toolchain and recipe. */
  digest: string;
  /** Toolchains and packages outside /app. */
  mounts: readonly Mount[];
  /** A directory that is the root tree in place of this machine's system. */
  root?: string;
  /** Layers of /app below the answer's files, topmost first. */
  appLayers: readonly string[];
  /** The complete environment but for PATH, HOME and LANG, which have defaults. */
  env: Readonly<Record<string, string>>;
  /** Run in /app in this order, once for an answer, without a network. */
  build: readonly BuildStep[];
  /** Files that win over an answer's, by path. Default: the framework's manifest alone. */
  over?: Readonly<Record<string, string>>;
  /**
   * Results of the steps that the app needs, relative to /app: a binary, a directory, a database; `.` for everything
   * that they change. Empty: everything is in the answer and the layers.
   */
  built: readonly string[];
  /** In place of the framework's start command, where that only wraps it. */
  startCommand?: string;
  /** As of an `AppImage`. */
  preload?: ForkServerProgram;
}

export interface BuildStep {
  /** Shell line. */
  command: string;
  /** Its failure is told, and the answer is started nevertheless. */
  tolerant: boolean;
  timeoutSec: number;
}
