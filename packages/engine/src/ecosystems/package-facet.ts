import type { Mount } from '@assay/sandbox';

/** Where the ecosystem's packages come from, and how they are named. */
export interface PackageFacet {
  /**
   * The index that the package lane speaks: an id of `packages/lanes/src/package-lane/package-index.ts`. Null where
   * repositories take no packages; their tasks have no package lane.
   */
  readonly index: string | null;
  /** Names of the index in OSV advisories, in lower case. */
  readonly osvNames: readonly string[];
  /** Paths of the files in which a tree declares the names it is published under. */
  readonly manifests: RegExp;
  /** The licence that the manifest at the root of a tree states, in its own words; null without one. */
  licence?(treeDirectory: string): Promise<string | null>;
  /**
   * Programs for a box whose task allows packages: what stands for an installer there and fetches the real one, as of T0,
   * through the lane. `bin` goes before the box's own PATH. Absent: what the box has is enough.
   */
  installers?(cacheDirectory: string): Promise<{ mounts: Mount[]; bin: string }>;
  /** Returns the place of installed packages in a sandbox. */
  installedAt(environment: { mounts(options: { writable: boolean }): Mount[] }): Promise<string>;
}
