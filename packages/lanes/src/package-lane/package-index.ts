import type { LaneResolution, PackageLaneOptions } from './contract.ts';
import type { LaneIndex } from './lane-answer.ts';
import type { Upstream } from './upstream.ts';

/** A kind of package index that lanes and mirrors can show. */
export interface PackageIndex {
  readonly id: string;
  /** Path that clients append to the lane's address. Empty, or ends in a slash. */
  readonly entry: string;
  /** Finds the index that the package manager of this machine is configured to use. Throws `UPSTREAM_UNKNOWN`. */
  findUpstream(environment: NodeJS.ProcessEnv): Promise<Upstream>;
  /** Opens the upstream's index as of the cutoff. Throws `LANE_FAILED` when it must be asked and cannot be. */
  open(options: OpenIndexOptions): Promise<OpenIndex>;
  /** Variables by which the clients of a sandbox take their packages from a lane with that origin. */
  clientVariables(origin: string): Record<string, string>;
  /** Whether a package of the index may be called so. */
  isName(name: string): boolean;
  /** The shell line that points each client at an address, by the client's name. */
  shellSettings(address: string): Readonly<Record<string, string>>;
}

/** `origin` may hold a path: addresses in answers begin with it. */
export type OpenIndexOptions = Omit<PackageLaneOptions, 'kind'> & { upstream: Upstream };

export interface OpenIndex {
  index: LaneIndex;
  /** Whether a request to this path may post; its body is never looked at. */
  mayPost(segments: string[]): boolean;
  readonly resolution: LaneResolution;
  /** Why the upstream's dates are not believed. */
  readonly doubts: readonly string[];
  /** Gives up all that is being fetched. */
  close(): void;
}
