import { DEFAULT_LANE_LIMITS, type PackageLane, type PackageLaneOptions } from './contract.ts';
import { LaneServer } from './lane-server.ts';
import { isAudit } from './npm/npm-index.ts';
import { openNpmIndex, openPypiIndex } from './open-index.ts';

export type { LaneLimits, LaneRecord, LaneResolution, PackageLane, PackageLaneOptions } from './contract.ts';

/**
 * Opens a lane to a package index: an HTTP server on a new Unix socket that shows the index as it was at the cutoff,
 * without the excluded projects. Throws `UPSTREAM_UNKNOWN`, and `LANE_FAILED` when the upstream cannot be asked about
 * the direct ranges.
 */
export async function openPackageLane(options: PackageLaneOptions): Promise<PackageLane> {
  const { kind, mode } = options;
  const indexOptions = { ...options, origin: new URL(options.origin).origin };
  const npm = kind === 'npm' ? await openNpmIndex(indexOptions) : null;
  const opened = npm ?? (await openPypiIndex(indexOptions));
  try {
    const requests = options.limits?.requests ?? DEFAULT_LANE_LIMITS.requests;
    const server = await LaneServer.listen({
      index: opened.index,
      mayPost: (segments) => npm !== null && isAudit(segments),
      requests,
    });
    const close = async (): Promise<void> => {
      opened.close();
      await server.close();
    };
    return {
      socket: server.socket,
      records: server.records,
      resolution: () => npm?.index.resolution ?? (mode === 'lockfile' ? 'lockfile' : 'date'),
      doubts: npm?.index.contradictions ?? [],
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    opened.close();
    throw error;
  }
}
