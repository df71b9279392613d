import type { EnvironmentSpec, TestCommand } from '@assay/protocol';
import type { Mount, SandboxProvider } from '@assay/sandbox';
import type { AttackFacet } from './attack-facet.ts';
import type { BaitFacet } from './bait-facet.ts';
import type { ImageFacet } from './image-facet.ts';
import type { PackageFacet } from './package-facet.ts';
import type { SourceFacet } from './source-facet.ts';
import type { TestFacet } from './test-facet.ts';

/**
 * What Assay must know of a family of repositories: which files are what, how to install its dependencies as of T0, and
 * how to run its tests with trustworthy results. Python and node are the members; `docs/adding-an-ecosystem.md` says
 * how to add one.
 */
export interface Ecosystem {
  readonly id: EnvironmentSpec['ecosystem'];
  /**
   * `test`: part of the suite or its data. `source`: what a reference solution is made of. `other`: docs, CI, and so
   * on.
   */
  classify(path: string): 'source' | 'test' | 'other';
  /** Files written in the ecosystem's own languages; others may be data beside them. */
  readonly codeFiles: RegExp;
  /** Globs (picomatch, `dot: true`) of files that steer the test runner or the interpreter. */
  readonly steering: readonly string[];
  readonly source: SourceFacet;
  readonly tests: TestFacet;
  readonly packages: PackageFacet;
  readonly image: ImageFacet;
  readonly bait: BaitFacet;
  readonly attacks: AttackFacet;
  /** Names under which the project itself is published, read from T0's own manifests. */
  projectNames(treeDirectory: string): Promise<string[]>;
  /**
   * Versions of the interpreters on this machine, among which environments choose: how a candidate ends depends on
   * them.
   */
  interpreters(): Promise<string[]>;
  /** Which runner, with which arguments; null when none that Assay knows is named at T0. */
  testCommand(treeDirectory: string): Promise<TestCommand | null>;
  /** Resolves and installs the dependencies of a tree at T0. Throws `INTERPRETER_MISSING` or `ENVIRONMENT_FAILED`. */
  buildEnvironment(request: BuildRequest): Promise<PreparedEnvironment>;
  /** Makes the same environment again from the files that a bundle carries; no network. */
  restoreEnvironment(request: RestoreRequest): Promise<PreparedEnvironment>;
  /** The command that runs `command` inside a sandbox and reports by channel; see `verify/read-channel.ts`. */
  launch(request: LaunchRequest): Launch;
}

export interface BuildRequest {
  treeDirectory: string;
  t0: Date;
  command: TestCommand;
  provider: SandboxProvider;
  /** Prepared layers live here, one directory a digest; shared by parallel builds, which wait for each other. */
  cacheDirectory: string;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

export interface RestoreRequest {
  spec: EnvironmentSpec;
  /** `environment/` of the bundle. */
  bundleDirectory: string;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
}

export interface PreparedEnvironment {
  spec: EnvironmentSpec;
  /** Mounts for a sandbox: interpreter (read-only), layer (`writable: true` puts a private writable layer over it). */
  mounts(options: { writable: boolean }): Mount[];
  /** PATH, VIRTUAL_ENV and the like. */
  env: Record<string, string>;
  /** Directories of the host that hold what an agent will be able to read of it: for the leak scan. */
  layerDirectories: string[];
  /** Files to carry in the bundle, path under `environment/` to path on the host. */
  bundleFiles: Map<string, string>;
}

export interface LaunchRequest {
  command: TestCommand;
  environment: PreparedEnvironment;
  nonce: string;
}

/** Stdout of the exec is the result channel, stderr the log of the tests (see the runner's own docstring). */
export interface Launch {
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  /** The runner's files, read-only. */
  mounts: Mount[];
}
