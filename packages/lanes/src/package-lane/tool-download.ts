import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import { cacheDirectory as defaultCacheDirectory } from '@assay/files/store/paths';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { ArtefactCache } from './artefact-cache.ts';
import { DEFAULT_LANE_LIMITS } from './contract.ts';
import { UpstreamClient, type UpstreamDocument } from './fetch-upstream.ts';
import { isNpmName, isPythonName, normalizePythonName } from './names.ts';
import { versionsWithin } from './npm/judge-dates.ts';
import { packumentAddress } from './npm/npm-index.ts';
import { parsePackument } from './npm/packument.ts';
import { unpackTarball } from './npm/unpack-tarball.ts';
import { freezeFiles } from './pypi/freeze-files.ts';
import { newestWheel, type Platform } from './pypi/newest-wheel.ts';
import { parseIndex } from './pypi/parse-index.ts';
import { INDEX_ACCEPT } from './pypi/pypi-index.ts';
import { unpackExecutable } from './pypi/unpack-executable.ts';
import { discoverUpstream } from './package-indexes.ts';
import type { Upstream } from './upstream.ts';

export interface ToolDownloadOptions {
  /** Directory that keeps downloads by hash. Default: Assay's cache directory. */
  cacheDirectory?: string;
  /** Default: what the package manager of this machine is configured to use. */
  upstream?: Upstream;
  /** Ends the download with `INTERRUPTED`, for every caller that waits for it. */
  signal?: AbortSignal;
}

/**
 * The highest version of an npm package within `versionRange`, from the machine's own registry, checked by its
 * integrity and unpacked below `targetDirectory`. Resolves to the directory that holds its `package.json`. A range is
 * looked up once: later calls find the directory; parallel ones, of other processes too, wait for the first. Throws
 * `LANE_FAILED` and `UPSTREAM_UNKNOWN`.
 */
export async function fetchNpmPackage(
  name: string,
  versionRange: string,
  targetDirectory: string,
  options: ToolDownloadOptions = {},
): Promise<string> {
  if (!isNpmName(name)) throw toolFailed('npm', `${name} is no package name`);
  return await prepareLayer(targetDirectory, layerName('npm', name, versionRange), (directory) =>
    withUpstream('npm', options, async (client, artefacts) => {
      const document = await client.document(packumentAddress(name, client.upstream.url), 'application/json');
      const packument = parsePackument(name, present(document, 'npm', name));
      const version = versionsWithin(packument, versionRange).at(-1);
      const release = version === undefined ? undefined : packument.versions.get(version);
      if (!release?.hash) throw toolFailed('npm', `no version of ${name} is within ${versionRange}`);
      const tarball = await artefacts.get(
        client,
        new URL(release.tarball, client.upstream.url),
        release.hash,
        DEFAULT_LANE_LIMITS.artefactBytes,
      );
      await unpackTarball(present(tarball, 'npm', name).path, directory);
    }),
  );
}

/**
 * The executable of the same name out of the newest wheel of a PyPI project (such as `uv`) that runs on this machine,
 * checked by its sha256, below `targetDirectory`. Resolves to its path. Kept and shared as in `fetchNpmPackage`. Throws
 * `LANE_FAILED` and `UPSTREAM_UNKNOWN`.
 */
export async function fetchPythonTool(
  name: string,
  targetDirectory: string,
  options: ToolDownloadOptions = {},
): Promise<string> {
  if (!isPythonName(name)) throw toolFailed('pypi', `${name} is no project name`);
  const project = normalizePythonName(name);
  const directory = await prepareLayer(targetDirectory, layerName('pypi', project, process.arch), (draft) =>
    withUpstream('pypi', options, async (client, artefacts) => {
      const platform = hostPlatform();
      const document = await client.document(new URL(`${project}/`, client.upstream.url), INDEX_ACCEPT);
      const wheel = newestWheel(freezeFiles(project, parseIndex(present(document, 'pypi', name)), null), platform);
      if (!wheel)
        throw toolFailed('pypi', `no wheel of ${name} is for this machine (${Object.values(platform).join(' ')})`);
      const file = await artefacts.get(client, wheel.url, wheel.hash, DEFAULT_LANE_LIMITS.artefactBytes);
      const found = await unpackExecutable(present(file, 'pypi', name).path, name, join(draft, name));
      if (!found) throw toolFailed('pypi', `${wheel.filename} holds no executable called ${name}`);
    }),
  );
  return join(directory, name);
}

/**
 * A client of the configured registry and the cache of what was downloaded, for the time of `work`. Throws
 * `INTERRUPTED` after an abort.
 */
export async function withUpstream(
  kind: string,
  options: ToolDownloadOptions,
  work: (client: UpstreamClient, artefacts: ArtefactCache) => Promise<void>,
): Promise<void> {
  const { signal } = options;
  const client = new UpstreamClient(kind, options.upstream ?? (await discoverUpstream(kind)), DEFAULT_LANE_LIMITS);
  const stop = (): void => client.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (signal?.aborted) stop();
    const artefacts = new ArtefactCache(options.cacheDirectory ?? defaultCacheDirectory());
    await artefacts.open();
    await work(client, artefacts);
  } catch (error) {
    throw signal?.aborted ? new AssayError('INTERRUPTED', {}, { cause: error }) : error;
  } finally {
    signal?.removeEventListener('abort', stop);
    client.close();
  }
}

function present<T extends UpstreamDocument | { path: string }>(found: T | null, lane: string, name: string): T {
  if (found === null) throw toolFailed(lane, `the upstream has no ${name}`);
  return found;
}

const toolFailed = (lane: string, detail: string): AssayError => new AssayError('LANE_FAILED', { lane, detail });

const layerName = (...parts: string[]): string => sha256(JSON.stringify(['tool', ...parts])).slice(0, 32);

function hostPlatform(): Platform {
  const machines: Partial<Record<NodeJS.Architecture, string>> = { x64: 'x86_64', arm64: 'aarch64' };
  const report = process.report.getReport();
  const header: unknown = 'header' in report ? report.header : null;
  const glibc = typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header;
  return { machine: machines[process.arch] ?? process.arch, libc: glibc ? 'manylinux' : 'musllinux' };
}
