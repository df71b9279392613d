import type { DiffMetadata, RepositoryMetadata, ScenarioMetadata, StandardMetadata, TaskToml } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import type { SplitOracle } from './split-oracle.ts';

/**
 * Everything that the bundle of a repository task is written from. Paths are on the host and do not appear in the
 * bundle.
 */
export interface TaskContent {
  /** `org/name`, such as `assay/click-4f2a9c01`. Neutral: no word about the fix, no commit hash. */
  name: string;
  /** One line for lists of tasks; agents do not see it. */
  description: string;
  /** The only text given to an agent. Markdown. */
  instruction: string;
  meta: Omit<RepositoryMetadata, 'digest'>;
  /** Gzipped tar of the tree at T0 with its fresh `.git`, member names relative to the repository. */
  repoTar: string;
  /** Path under `environment/` to path on the host, as in {@link PreparedEnvironment.bundleFiles}. */
  environmentFiles: Map<string, string>;
  /** Those files and `repoTar` may get a second name in place of a copy: the bundle lies in the cache, as they do. */
  linksFiles?: boolean;
  reference: ChangeSet;
  /** Unified diff of the reference, for people; nothing reads it back. */
  referenceDiff: string;
  hidden: ChangeSet;
  /** Absent: hidden tests are compared in the submission's process. */
  split?: SplitOracle | null;
  timeouts?: TaskTimeouts;
}

/** Seconds. Defaults: agent 1800; verifier twice the time limit of the tests plus 120; build 600. */
export interface TaskTimeouts {
  agentSec?: number;
  verifierSec?: number;
  buildSec?: number;
}

/** A bundle that was read, matches its digest and is safe to use. */
export type Task = RepositoryTask | StandardTask | ScenarioTask | DiffTask;
export type RepositoryTask = BundleOf<'repository', RepositoryMetadata>;
export type StandardTask = BundleOf<'standard', StandardMetadata>;
export type ScenarioTask = BundleOf<'scenario', ScenarioMetadata>;
export type DiffTask = BundleOf<'diff', DiffMetadata>;

interface BundleOf<Kind, Metadata> {
  kind: Kind;
  /** Absolute path of the bundle. */
  directory: string;
  /** The part of the name after the slash. */
  id: string;
  toml: TaskToml;
  meta: Metadata;
  instruction: string;
}
