import type { EnvironmentSpec, TestCommand } from '@assay/protocol';
import type { Mount, SandboxProvider } from '@assay/sandbox';
import type { AttackFacet } from './attack-facet.ts';
import type { BaitFacet } from './bait-facet.ts';
import type { CompareFacet } from './compare-facet.ts';
import type { FunctionFacet } from './function-facet.ts';
import type { ImageFacet } from './image-facet.ts';
import type { MutateFacet } from './mutate-facet.ts';
import type { PackageFacet } from './package-facet.ts';
import type { SourceFacet } from './source-facet.ts';
import type { SplitFacet } from './split-facet.ts';
import type { TestFacet } from './test-facet.ts';

/**
 * Everything that Assay knows about a family of repositories: the role of each file, how to install dependencies as of
 * T0, and how to run tests with trustworthy results. Each member is a folder beside this file;
 * `docs/adding-an-ecosystem.md` says how to add one.
 */
export interface Ecosystem {
  readonly id: EnvironmentSpec['ecosystem'];
  /**
   * `test`: part of the suite or its data. `source`: what a reference solution is made of. `other`: docs, CI, and so
   * on.
   */
  classify(path: string): 'source' | 'test' | 'other';
  /** Files written in the ecosystem's own languages, by how their paths end; others may be data beside them. */
  readonly codeFiles: RegExp;
  /** Programs of this machine that its repositories need, for `assay doctor`. */
  readonly tools: readonly HostTool[];
  /** Globs (picomatch, `dot: true`) of files that steer the test runner or the interpreter. */
  readonly steering: readonly string[];
  readonly source: SourceFacet;
  readonly tests: TestFacet;
  readonly packages: PackageFacet;
  readonly image: ImageFacet;
  readonly bait: BaitFacet;
  readonly attacks: AttackFacet;
  /** Absent: its hidden tests are compared in the process that runs the submission. */
  readonly split?: SplitFacet;
  /** Absent: changes that no test tells are no candidates. */
  readonly compare?: CompareFacet;
  /** Absent: tests of its tasks are not tried with mutants. */
  readonly mutate?: MutateFacet;
  /** Absent: no problems are made of its functions. */
  readonly functions?: FunctionFacet;
  /** Names under which the project itself is published, read from T0's own manifests. */
  projectNames(treeDirectory: string): Promise<string[]>;
  /**
   * Lists the versions of the interpreters that this machine offers. They decide which environment a tree gets, and so
   * how a candidate ends.
   */
  interpreters(): Promise<string[]>;
  /** Finds the runner and its arguments; null when T0 names none that Assay knows. */
  testCommand(treeDirectory: string): Promise<TestCommand | null>;
  /**
   * The command with a build of the repository before the tests, where the log of a run says that they load what such a
   * build makes, and T0 does not hold it; null elsewhere, and where the command builds that already.
   */
  commandThatBuilds?(treeDirectory: string, command: TestCommand, log: string): Promise<TestCommand | null>;
  /** The same command with the other settings that the tree runs its tests with, such as time zones, in their order. */
  otherCommands?(treeDirectory: string, command: TestCommand): Promise<TestCommand[]>;
  /** Names the runner of a tree that Assay does not know, where the tree says which; null elsewhere. */
  foreignRunner?(treeDirectory: string): Promise<string | null>;
  /** Resolves and installs the dependencies of a tree at T0. Throws `INTERPRETER_MISSING`, `TOOL_MISSING` or `ENVIRONMENT_FAILED`. */
  buildEnvironment(request: BuildRequest): Promise<PreparedEnvironment>;
  /** Makes the same environment again from the files in a bundle, without a network. */
  restoreEnvironment(request: RestoreRequest): Promise<PreparedEnvironment>;
  /**
   * Returns the command that runs `command` inside a sandbox and reports over the result channel; see
   * `verify/read-channel.ts`.
   */
  launch(request: LaunchRequest): Launch;
}

/** A program that answers `--version`. */
export interface HostTool {
  name: string;
  /** Such as `Python repositories`. */
  neededFor: string;
  debianPackage: string;
}

export interface BuildRequest {
  treeDirectory: string;
  t0: Date;
  command: TestCommand;
  provider: SandboxProvider;
  /** Directory of prepared layers, one per digest. Parallel builds share it and wait for each other. */
  cacheDirectory: string;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

export interface RestoreRequest {
  spec: EnvironmentSpec;
  /** The bundle's `environment/`. */
  bundleDirectory: string;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
}

export interface PreparedEnvironment {
  spec: EnvironmentSpec;
  /**
   * Returns the mounts for a sandbox: the interpreter (read-only) and the layer (`writable: true` puts a private
   * writable layer over it).
   */
  mounts(options: { writable: boolean }): Mount[];
  /** PATH, VIRTUAL_ENV and the like. */
  env: Record<string, string>;
  /** Host directories with the parts of the environment that an agent will be able to read, for the leak scan. */
  layerDirectories: string[];
  /** Files to carry in the bundle: path under `environment/` to path on the host. */
  bundleFiles: Map<string, string>;
  /**
   * Files of the repository that were compiled into the environment, by how their paths end: what a submission changes
   * of them has no effect. Absent where none was, and after {@link Ecosystem.restoreEnvironment}.
   */
  compiledFrom?: RegExp;
  /** What was left out for the environment to build, and why. Absent after a restoration. */
  notes?: readonly string[];
}

export interface LaunchRequest {
  command: TestCommand;
  environment: PreparedEnvironment;
  nonce: string;
  /** Loads the observer of stripped tests, which appends its lines to this file, a path in the sandbox. */
  observations?: string;
  /** Ids of tests: runners that `TestFacet.selects` names run no others, but for neighbours of the same name. */
  only?: readonly string[];
}

/** Stdout of the exec is the result channel, stderr the log of the tests (see the runner's own docstring). */
export interface Launch {
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  /** The runner's files, read-only. */
  mounts: Mount[];
}
