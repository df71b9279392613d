import { ArtefactCache } from './artefact-cache.ts';
import { DEFAULT_LANE_LIMITS, type PackageLane, type PackageLaneOptions } from './contract.ts';
import { DocumentCache } from './document-cache.ts';
import { UpstreamClient } from './fetch-upstream.ts';
import { LaneServer } from './lane-server.ts';
import { isAudit, NpmIndex } from './npm/npm-index.ts';
import { PypiIndex } from './pypi/pypi-index.ts';
import { discoverUpstream } from './upstream.ts';

export type { LaneLimits, LaneRecord, LaneResolution, PackageLane, PackageLaneOptions } from './contract.ts';

/**
 * Opens a lane to a package index: an HTTP server on a new Unix socket that shows the index as it was at the cutoff, without the
 * excluded projects. Throws `UPSTREAM_UNKNOWN`, and `LANE_FAILED` when the upstream cannot be asked about the direct ranges.
 */
export async function openPackageLane(options: PackageLaneOptions): Promise<PackageLane> {
  const limits = { ...DEFAULT_LANE_LIMITS, ...options.limits };
  const client = new UpstreamClient(options.kind, options.upstream ?? (await discoverUpstream(options.kind)), limits);
  try {
    const artefacts = new ArtefactCache(options.cacheDirectory);
    const documents = new DocumentCache(options.cacheDirectory);
    await Promise.all([artefacts.open(), documents.open()]);
    const mode = options.mode ?? 'frozen';
    const origin = new URL(options.origin).origin;
    const common = { client, artefacts, documents, limits, exclude: options.exclude, origin };
    const npm = options.kind === 'npm' ? new NpmIndex({ ...common, mode, cutoff: options.cutoff, directRanges: options.directRanges ?? {} }) : null;
    await npm?.judgeDates();
    const index = npm ?? new PypiIndex({ ...common, cutoff: mode === 'lockfile' ? null : options.cutoff });
    const server = await LaneServer.listen({ index, mayPost: (segments) => npm !== null && isAudit(segments), requests: limits.requests });
    const close = async (): Promise<void> => {
      client.close();
      await server.close();
    };
    return {
      socket: server.socket,
      records: server.records,
      resolution: () => npm?.resolution ?? (mode === 'lockfile' ? 'lockfile' : 'date'),
      doubts: npm?.contradictions ?? [],
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    client.close();
    throw error;
  }
}
