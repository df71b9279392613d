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
  /** What an answer must keep to in this framework. */
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
   * Of a framework with a system of its own: the commands that scenarios ask for and that it can bring. Default: it has
   * those of this machine.
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
  /** What tells its results from those of another machine, such as `Python 3.12.1` or `Rails 7.2, Debian 13`. */
  variant: string;
  /** sha256 hex over lock, toolchain and recipe. */
  digest: string;
  /** Toolchains and packages outside /app. */
  mounts: readonly Mount[];
  /** A directory that is the root tree in place of this machine's system. */
  root?: string;
  /** What lies in /app under the answer's files, topmost first. */
  appLayers: readonly string[];
  /** The complete environment but for PATH, HOME and LANG, which have defaults. */
  env: Readonly<Record<string, string>>;
  /** Run in /app in this order, once for an answer, without a network. */
  build: readonly BuildStep[];
  /** Files that win over an answer's, by path. Default: the framework's manifest alone. */
  over?: Readonly<Record<string, string>>;
  /**
   * What the steps make that the app needs, relative to /app, `.` for all that they change: a binary, a directory, a
   * database. Empty: everything is in the answer and the layers.
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
