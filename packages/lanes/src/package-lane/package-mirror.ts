import { AssayError } from '@assay/protocol';
import type { LaneRecord, LaneResolution } from './contract.ts';
import { unknownPath, type LaneAnswer, type LaneRequest } from './lane-answer.ts';
import { LaneServer } from './lane-server.ts';
import type { OpenIndex, PackageIndex } from './package-index.ts';
import { discoverUpstream, PACKAGE_INDEXES } from './package-indexes.ts';
import type { Upstream } from './upstream.ts';

export interface PackageMirrorOptions {
  /** Hides everything uploaded after this instant. */
  cutoff: Date;
  /** Names of projects to hide in every index. */
  exclude: string[];
  /** npm: name to range, from a manifest of that time; as in `PackageLaneOptions`. */
  directRanges?: Record<string, string>;
  /** Port on 127.0.0.1. 0 picks a free one. */
  port: number;
  cacheDirectory: string;
  /** Default: what the package managers of this machine are configured to use. */
  upstreams?: Readonly<Record<string, Upstream | undefined>>;
  onRecord?: (record: LaneRecord) => void;
}

export interface PackageMirror {
  /** By the index's id; null where this machine has no upstream for it. */
  readonly indexes: Readonly<Record<string, MirroredIndex | null>>;
  /** One line for each index that is not served, with the reason. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

export interface MirroredIndex {
  /** Address for clients, ending in a slash. */
  readonly address: string;
  /** Shell lines that configure each client for it, by the client's name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly resolution: LaneResolution;
  /** Why the index's dates are not believed, one line for each direct range that contradicts them. */
  readonly doubts: readonly string[];
}

/**
 * Serves every package index as it was at the cutoff on one port of loopback, each below its id: `/pypi/simple/`,
 * `/npm/`. Throws `BAD_OPTION` when the port is taken, `UPSTREAM_UNKNOWN` when no index has an upstream, and
 * `LANE_FAILED` when one cannot be asked about the direct ranges.
 */
export async function openPackageMirror(options: PackageMirrorOptions): Promise<PackageMirror> {
  const { port, onRecord, upstreams = {}, ...common } = options;
  const indexes = new Map<string, OpenIndex>();
  const index = { answer: (request: LaneRequest) => answerBelow(indexes, request) };
  const mayPost = ([area = '', ...rest]: string[]): boolean => indexes.get(area)?.mayPost(rest) === true;
  const server = await LaneServer.listen({ index, mayPost, requests: Infinity, onRecord }, { port });
  const close = async (): Promise<void> => {
    for (const opened of indexes.values()) opened.close();
    await server.close();
  };
  try {
    const missing: AssayError[] = [];
    const open = async ({ id, open: openIndex }: PackageIndex): Promise<void> => {
      try {
        const upstream = upstreams[id] ?? (await discoverUpstream(id));
        indexes.set(id, await openIndex({ ...common, origin: `${server.origin}/${id}`, upstream }));
      } catch (error) {
        if (!AssayError.is(error) || error.code !== 'UPSTREAM_UNKNOWN') throw error;
        missing.push(error);
      }
    };
    await Promise.all(PACKAGE_INDEXES.map(open));
    if (indexes.size === 0 && missing[0]) throw missing[0];
    const mirrored = PACKAGE_INDEXES.map(({ id, entry, shellSettings }): [string, MirroredIndex | null] => {
      const opened = indexes.get(id);
      if (opened === undefined) return [id, null];
      const address = `${server.origin}/${id}/${entry}`;
      return [id, { address, settings: shellSettings(address), resolution: opened.resolution, doubts: opened.doubts }];
    });
    return { indexes: Object.fromEntries(mirrored), missing: missing.map(({ message }) => message), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function answerBelow(
  indexes: Map<string, OpenIndex>,
  { segments: [area = '', ...segments], ...request }: LaneRequest,
): Promise<LaneAnswer> {
  const opened = segments.length > 0 ? indexes.get(area) : undefined;
  return opened ? await opened.index.answer({ ...request, segments }) : unknownPath();
}
