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
  /** Environment variables that point the clients in a sandbox at a lane with that origin. */
  clientVariables(origin: string): Record<string, string>;
  /** Returns whether a package of the index may have this name. */
  isName(name: string): boolean;
  /** Returns shell lines that configure each client for an address, by the client's name. */
  shellSettings(address: string): Readonly<Record<string, string>>;
}

/** `origin` may hold a path: addresses in answers begin with it. */
export type OpenIndexOptions = Omit<PackageLaneOptions, 'kind'> & { upstream: Upstream };

export interface OpenIndex {
  index: LaneIndex;
  /** Whether a request to this path may post; its body is never looked at. */
  mayPost(segments: string[]): boolean;
  readonly resolution: LaneResolution;
  /** Reasons not to believe the upstream's dates. */
  readonly doubts: readonly string[];
  /** Aborts all running downloads. */
  close(): void;
}
