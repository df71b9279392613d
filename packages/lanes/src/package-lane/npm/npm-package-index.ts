import { DEFAULT_LANE_LIMITS } from '../contract.ts';
import { UpstreamClient } from '../fetch-upstream.ts';
import { isNpmName } from '../names.ts';
import { openCaches } from '../open-caches.ts';
import type { OpenIndex, OpenIndexOptions, PackageIndex } from '../package-index.ts';
import { isAudit, NpmIndex } from './npm-index.ts';
import { npmUpstream } from './npm-upstream.ts';

/** npm's registry. */
export const npmPackageIndex: PackageIndex = {
  id: 'npm',
  entry: '',
  findUpstream: npmUpstream,
  open,
  clientVariables: (origin) => ({
    npm_config_registry: `${origin}/`,
    pnpm_config_registry: `${origin}/`,
    npm_config_replace_registry_host: 'always',
  }),
  isName: isNpmName,
  shellSettings: (address) => ({
    npm: `export npm_config_registry=${address} npm_config_replace_registry_host=always`,
    pnpm: `export npm_config_registry=${address} pnpm_config_registry=${address}`,
  }),
};

async function open(options: OpenIndexOptions): Promise<OpenIndex> {
  const limits = { ...DEFAULT_LANE_LIMITS, ...options.limits };
  const { upstream } = options;
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
    return { index, mayPost: isAudit, resolution: index.resolution, doubts: index.contradictions, close };
  } catch (error) {
    close();
    throw error;
  }
}
