import { ArtefactCache } from './artefact-cache.ts';
import { DEFAULT_LANE_LIMITS, type PackageLaneOptions } from './contract.ts';
import { DocumentCache } from './document-cache.ts';
import { UpstreamClient } from './fetch-upstream.ts';
import { NpmIndex } from './npm/npm-index.ts';
import { PypiIndex } from './pypi/pypi-index.ts';
import { discoverUpstream } from './upstream.ts';

export interface OpenIndex<Index> {
  index: Index;
  /** Gives up all that is being fetched. */
  close: () => void;
}

/** `origin` may hold a path: addresses in answers begin with it. */
export type OpenIndexOptions = Omit<PackageLaneOptions, 'kind'>;

/** npm's registry as of the cutoff. Throws as `openPackageLane`. */
export async function openNpmIndex(options: OpenIndexOptions): Promise<OpenIndex<NpmIndex>> {
  const limits = { ...DEFAULT_LANE_LIMITS, ...options.limits };
  const upstream = options.upstream ?? (await discoverUpstream('npm'));
  const client = new UpstreamClient('npm', upstream, limits);
  const scoped = new Map(
    [...(upstream.scopes ?? [])].map(([scope, other]) => [scope, new UpstreamClient('npm', other, limits)]),
  );
  const close = (): void => [client, ...scoped.values()].forEach((each) => each.close());
  try {
    const { cutoff, exclude, origin, directRanges = {}, mode = 'frozen' } = options;
    const index = new NpmIndex({
      ...(await openCaches(options.cacheDirectory)),
      client,
      scoped,
      limits,
      mode,
      cutoff,
      exclude,
      directRanges,
      origin,
    });
    await index.judgeDates();
    return { index, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The project pages of pip's indexes as of the cutoff. Throws as `openPackageLane`. */
export async function openPypiIndex(options: OpenIndexOptions): Promise<OpenIndex<PypiIndex>> {
  const limits = { ...DEFAULT_LANE_LIMITS, ...options.limits };
  const upstream = options.upstream ?? (await discoverUpstream('pypi'));
  const clients = [upstream, ...(upstream.extra ?? [])].map((each) => new UpstreamClient('pypi', each, limits));
  const close = (): void => clients.forEach((each) => each.close());
  try {
    const { cutoff, exclude, origin, mode = 'frozen' } = options;
    const index = new PypiIndex({
      ...(await openCaches(options.cacheDirectory)),
      clients,
      limits,
      cutoff: mode === 'lockfile' ? null : cutoff,
      exclude,
      origin,
    });
    return { index, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function openCaches(directory: string): Promise<{ artefacts: ArtefactCache; documents: DocumentCache }> {
  const artefacts = new ArtefactCache(directory);
  const documents = new DocumentCache(directory);
  await Promise.all([artefacts.open(), documents.open()]);
  return { artefacts, documents };
}
