import { DEFAULT_LANE_LIMITS } from '../contract.ts';
import { UpstreamClient } from '../fetch-upstream.ts';
import { isPythonName } from '../names.ts';
import { openCaches } from '../open-caches.ts';
import type { OpenIndex, OpenIndexOptions, PackageIndex } from '../package-index.ts';
import { PypiIndex } from './pypi-index.ts';
import { pypiUpstream } from './pypi-upstream.ts';

/** The project pages of pip's indexes. */
export const pypiPackageIndex: PackageIndex = {
  id: 'pypi',
  entry: 'simple/',
  findUpstream: pypiUpstream,
  open,
  clientVariables: (origin) => ({
    PIP_CONFIG_FILE: '/dev/null',
    PIP_INDEX_URL: `${origin}/simple/`,
    UV_NO_CONFIG: '1',
    UV_DEFAULT_INDEX: `${origin}/simple/`,
  }),
  isName: isPythonName,
  shellSettings: (address) => ({
    pip: `export PIP_CONFIG_FILE=/dev/null PIP_INDEX_URL=${address}`,
    uv: `export UV_NO_CONFIG=1 UV_DEFAULT_INDEX=${address}`,
  }),
};

async function open(options: OpenIndexOptions): Promise<OpenIndex> {
  const limits = { ...DEFAULT_LANE_LIMITS, ...options.limits };
  const { upstream } = options;
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
    return { index, mayPost: () => false, resolution: mode === 'lockfile' ? 'lockfile' : 'date', doubts: [], close };
  } catch (error) {
    close();
    throw error;
  }
}
