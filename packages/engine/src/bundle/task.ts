import type { RepositoryMetadata, ScenarioMetadata, StandardMetadata, TaskToml } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';

/** What the bundle of a repository task is written from. Paths are of the host; nothing of them shows in the bundle. */
export interface TaskContent {
  /** `org/name`, neutral: no word of the fix, no commit hash, such as `assay/click-4f2a9c01`. */
  name: string;
  /** One line for lists of tasks; agents do not see it. */
  description: string;
  /** The only text that an agent is given. Markdown. */
  instruction: string;
  meta: Omit<RepositoryMetadata, 'digest'>;
  /** Gzipped tar of the tree at T0 with its fresh `.git`, member names relative to the repository. */
  repoTar: string;
  /** Path under `environment/` to path on the host, as {@link PreparedEnvironment.bundleFiles} gives them. */
  environmentFiles: Map<string, string>;
  reference: ChangeSet;
  /** Unified diff of the reference, for people; nothing reads it back. */
  referenceDiff: string;
  hidden: ChangeSet;
  timeouts?: TaskTimeouts;
}

/** Seconds. Defaults: agent 1800; verifier twice the time limit of the tests plus 120; build 600. */
export interface TaskTimeouts {
  agentSec?: number;
  verifierSec?: number;
  buildSec?: number;
}

/** A bundle that was read, checked against its digest, and found safe to use. */
export type Task = RepositoryTask | StandardTask | ScenarioTask;
export type RepositoryTask = BundleOf<'repository', RepositoryMetadata>;
export type StandardTask = BundleOf<'standard', StandardMetadata>;
export type ScenarioTask = BundleOf<'scenario', ScenarioMetadata>;

interface BundleOf<Kind, Metadata> {
  kind: Kind;
  /** Absolute. */
  directory: string;
  /** The part of the name after the slash. */
  id: string;
  toml: TaskToml;
  meta: Metadata;
  instruction: string;
}
