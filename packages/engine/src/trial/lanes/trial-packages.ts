import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, type EnvironmentSpec } from '@assay/protocol';
import type { Lane, Mount, Network } from '@assay/sandbox';
import { ecosystemOf } from '../../ecosystems/index.ts';
import { packageIndexOf } from '@assay/lanes/package-lane/package-indexes';
import { openPackageLane } from '@assay/lanes/package-lane/package-lane';
import type { Upstream } from '@assay/lanes/package-lane/upstream';
import { cacheDirectory as defaultCacheDirectory } from '@assay/files/store/paths';

/** Where the agent finds the index inside. */
const PORT = 8712;
const ORIGIN = `http://127.0.0.1:${PORT}`;

/** The package lane of one trial, where the task allows it. */
export interface TrialPackages {
  lane: Lane;
  /** Settings of the clients. */
  env: Record<string, string>;
  /** Installers, and the directory that goes before the box's own PATH for them. */
  installers: { mounts: Mount[]; bin: string } | undefined;
  /** Closes the lane, and writes `packages.jsonl` when the trial has a directory. */
  end(): Promise<void>;
}

export interface TrialPackagesRequest {
  environment: Pick<EnvironmentSpec, 'ecosystem' | 'excluded'>;
  /** ISO 8601. */
  t0: string;
  t0Directory: string;
  /** Directory of the trial, for `packages.jsonl`. */
  directory?: string | undefined;
  cacheDirectory?: string;
  upstream?: Upstream;
}

/**
 * Opens the index of the task's ecosystem as of T0, without the project. Dates count always, other than when an
 * environment is built: what an agent may take must be from before T0, so an index whose dates are too late shows
 * nothing. Throws as `openPackageLane`.
 */
export async function openTrialPackages({
  environment,
  t0,
  t0Directory,
  directory,
  cacheDirectory = defaultCacheDirectory(),
  upstream,
}: TrialPackagesRequest): Promise<TrialPackages> {
  const { packages, projectNames } = ecosystemOf(environment.ecosystem);
  if (packages.index === null)
    throw new AssayError('LANE_FAILED', {
      lane: 'package',
      detail: `repositories of ${environment.ecosystem} have no package index`,
    });
  // A lock file may pin the project itself, which is then not among what the environment left out.
  const exclude = [...new Set([...environment.excluded, ...(await projectNames(t0Directory))])];
  const lane = await openPackageLane({
    kind: packages.index,
    cutoff: new Date(t0),
    exclude,
    origin: ORIGIN,
    cacheDirectory,
    upstream,
  });
  const installers = await packages.installers?.(cacheDirectory);
  const env = packageIndexOf(packages.index).clientVariables(ORIGIN);
  const end = async (): Promise<void> => {
    await lane.close();
    if (directory === undefined) return;
    await mkdir(directory, { recursive: true });
    await writeFile(
      join(directory, 'packages.jsonl'),
      lane.records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      { mode: 0o600 },
    );
  };
  let ended: Promise<void> | undefined;
  return { lane: { port: PORT, socket: lane.socket }, env, installers, end: () => (ended ??= end()) };
}

/** A sandbox's network with one more lane; one that has the network of the host needs none. */
export function withLane(network: Network, lane: Lane | undefined): Network {
  if (lane === undefined || network.kind === 'host') return network;
  return { kind: 'lanes', lanes: [...(network.kind === 'lanes' ? network.lanes : []), lane] };
}
