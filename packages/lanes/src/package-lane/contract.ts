import type { Upstream } from './upstream.ts';

export interface PackageLaneOptions {
  /** The id of a kind of index, such as `pypi` or `npm`; see `package-indexes.ts`. */
  kind: string;
  /** Hides everything uploaded after this instant. */
  cutoff: Date;
  /** Names (any spelling) of projects that do not exist for the client: the target and its aliases. */
  exclude: string[];
  /**
   * npm only: name to range, from the manifests of T0. They tell whether the upstream's dates can be believed: when a
   * range has versions, but none of them is dated at or before the cutoff, the dates are not the publisher's and
   * `resolution` is `lowest`.
   */
  directRanges?: Record<string, string>;
  /**
   * Origin under which the client sees the lane, such as `http://127.0.0.1:7001`. Addresses in answers begin with it.
   */
  origin: string;
  /** Artefacts are kept here by their hash, shared by all lanes. */
  cacheDirectory: string;
  /**
   * `frozen` (default), or `lockfile`: versions are pinned by hash, so dates are not consulted; excluded names stay
   * excluded.
   */
  mode?: 'frozen' | 'lockfile';
  /** Default: what the package manager of this machine is configured to use. */
  upstream?: Upstream;
  limits?: Partial<LaneLimits>;
}

export interface LaneLimits {
  /** Limit on one index page or packument, decompressed. Default 128 MiB. */
  indexBytes: number;
  /** Limit on one artefact. Default 1 GiB. */
  artefactBytes: number;
  /** Number of requests that one lane answers. Later ones get 429. Default 50,000. */
  requests: number;
  /** Milliseconds without a byte from the upstream. Default 30 000. */
  idleMs: number;
  /** Tries of one request to the upstream. Default 4. */
  attempts: number;
}

export const DEFAULT_LANE_LIMITS: LaneLimits = {
  indexBytes: 128 * 1024 * 1024,
  artefactBytes: 1024 * 1024 * 1024,
  requests: 50_000,
  idleMs: 30_000,
  attempts: 4,
};

/**
 * How versions are chosen. `lowest`: dates could not be trusted, so each direct range yields the lowest version that it
 * allows.
 */
export type LaneResolution = 'date' | 'lowest' | 'lockfile';

export interface PackageLane {
  /** Path of the Unix socket that a sandbox's lane relays to. */
  readonly socket: string;
  readonly resolution: () => LaneResolution;
  /** Why the upstream's dates are not believed, one line for each direct range that contradicts them. */
  readonly doubts: readonly string[];
  /** Every request in order. At most 20 000 are kept. */
  readonly records: readonly LaneRecord[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One request. Status 502 and 504 are the upstream's fault: `LANE_FAILED`, not a fault of the task. */
export interface LaneRecord {
  method: string;
  path: string;
  status: number;
  /** Size of the answer's body. */
  bytes: number;
  /** Why it was refused or failed; never holds credentials or upstream addresses. */
  note?: string;
}
