import { DEFAULT_LANE_LIMITS, type PackageLane, type PackageLaneOptions } from './contract.ts';
import { LaneServer } from './lane-server.ts';
import { discoverUpstream, packageIndexOf } from './package-indexes.ts';

export type { LaneLimits, LaneRecord, LaneResolution, PackageLane, PackageLaneOptions } from './contract.ts';

/**
 * Opens a lane to a package index: an HTTP server on a new Unix socket that shows the index as it was at the cutoff,
 * without the excluded projects. Throws `UPSTREAM_UNKNOWN`, and `LANE_FAILED` when the upstream cannot be asked about
 * the direct ranges.
 */
export async function openPackageLane(options: PackageLaneOptions): Promise<PackageLane> {
  const upstream = options.upstream ?? (await discoverUpstream(options.kind));
  const origin = new URL(options.origin).origin;
  const opened = await packageIndexOf(options.kind).open({ ...options, origin, upstream });
  try {
    const requests = options.limits?.requests ?? DEFAULT_LANE_LIMITS.requests;
    const server = await LaneServer.listen({ index: opened.index, mayPost: opened.mayPost, requests });
    const close = async (): Promise<void> => {
      opened.close();
      await server.close();
    };
    return {
      socket: server.socket,
      records: server.records,
      resolution: () => opened.resolution,
      doubts: opened.doubts,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    opened.close();
    throw error;
  }
}
