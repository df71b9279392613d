import { AssayError } from '@assay/protocol';
import type { PackageLane, PackageLaneOptions } from './contract.ts';

export type { LaneLimits, LaneRecord, LaneResolution, PackageLane, PackageLaneOptions } from './contract.ts';

/**
 * Opens a lane to a package index: an HTTP server on a new Unix socket that shows the index as it was at the cutoff, without the
 * excluded projects. Throws `UPSTREAM_UNKNOWN`, and `LANE_FAILED` when the upstream cannot be asked about the direct ranges.
 */
export async function openPackageLane(options: PackageLaneOptions): Promise<PackageLane> {
  throw new AssayError('LANE_FAILED', { lane: options.kind, detail: 'not built yet' });
}
