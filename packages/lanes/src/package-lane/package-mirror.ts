import { AssayError } from '@assay/protocol';
import type { LaneRecord, LaneResolution } from './contract.ts';
import { unknownPath, type LaneAnswer, type LaneIndex, type LaneRequest } from './lane-answer.ts';
import { LaneServer } from './lane-server.ts';
import { isAudit } from './npm/npm-index.ts';
import { openNpmIndex, openPypiIndex, type OpenIndex } from './open-index.ts';
import type { Upstream } from './upstream.ts';

export interface PackageMirrorOptions {
  /** Nothing uploaded after this instant is visible. */
  cutoff: Date;
  /** Names of projects that do not exist here, in both indexes. */
  exclude: string[];
  /** npm: name to range, from a manifest of that time; as in `PackageLaneOptions`. */
  directRanges?: Record<string, string>;
  /** Of 127.0.0.1; 0 is one that is free. */
  port: number;
  cacheDirectory: string;
  /** Default: what the package managers of this machine are configured to use. */
  upstreams?: { pypi?: Upstream; npm?: Upstream };
  onRecord?: (record: LaneRecord) => void;
}

export interface PackageMirror {
  /** Base of pip's index, ending in `/simple/`; null when this machine has no upstream for it. */
  readonly pypi: string | null;
  /** Base of npm's registry, ending in a slash; null when this machine has no upstream for it. */
  readonly npm: string | null;
  /** Why an index is not there, one line each. */
  readonly missing: readonly string[];
  readonly resolution: LaneResolution;
  /** Why npm's dates are not believed, one line for each direct range that contradicts them. */
  readonly doubts: readonly string[];
  close(): Promise<void>;
}

/**
 * Both package indexes as they were at the cutoff, on one port of loopback: `/pypi/simple/` and `/npm/`. Throws
 * `BAD_OPTION` when the port is taken, `UPSTREAM_UNKNOWN` when neither index has an upstream, and `LANE_FAILED` when
 * npm's cannot be asked about the direct ranges.
 */
export async function openPackageMirror(options: PackageMirrorOptions): Promise<PackageMirror> {
  const { port, onRecord, upstreams = {}, ...common } = options;
  const indexes = new Map<string, OpenIndex<LaneIndex>>();
  const index = { answer: (request: LaneRequest) => answerBelow(indexes, request) };
  const mayPost = ([area, ...rest]: string[]): boolean => area === 'npm' && isAudit(rest);
  const server = await LaneServer.listen({ index, mayPost, requests: Infinity, onRecord }, { port });
  const close = async (): Promise<void> => {
    for (const opened of indexes.values()) opened.close();
    await server.close();
  };
  try {
    const missing: AssayError[] = [];
    const open = async <Opened extends OpenIndex<LaneIndex>>(
      area: 'pypi' | 'npm',
      make: (options: typeof common & { origin: string; upstream?: Upstream }) => Promise<Opened>,
    ): Promise<Opened | null> => {
      const upstream = upstreams[area];
      try {
        const opened = await make({ ...common, origin: `${server.origin}/${area}`, upstream });
        indexes.set(area, opened);
        return opened;
      } catch (error) {
        if (!AssayError.is(error) || error.code !== 'UPSTREAM_UNKNOWN') throw error;
        missing.push(error);
        return null;
      }
    };
    const [pypi, npm] = await Promise.all([open('pypi', openPypiIndex), open('npm', openNpmIndex)]);
    if (!pypi && !npm && missing[0]) throw missing[0];
    return {
      pypi: pypi && `${server.origin}/pypi/simple/`,
      npm: npm && `${server.origin}/npm/`,
      missing: missing.map(({ message }) => message),
      resolution: npm?.index.resolution ?? 'date',
      doubts: npm?.index.contradictions ?? [],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function answerBelow(
  indexes: Map<string, OpenIndex<LaneIndex>>,
  { segments: [area = '', ...segments], ...request }: LaneRequest,
): Promise<LaneAnswer> {
  const opened = segments.length > 0 ? indexes.get(area) : undefined;
  return opened ? await opened.index.answer({ ...request, segments }) : unknownPath();
}
