import { JSON_TYPE } from '../pypi/render-index.ts';
import type { FixtureUpstream } from './lane-fixture.ts';
import { integrityOf, makeTarball } from './npm-files.ts';
import { makeWheel, metadataOf, sha256 } from './python-files.ts';

/** Version to when it was uploaded, and what it requires: project names. */
export type Releases = Record<string, { uploaded: string; requires?: string[] }>;

/**
 * Publishes pure wheels, with their metadata beside them, on an upstream that speaks JSON; resolves to each file's
 * bytes by version.
 */
export function publishWheels(upstream: FixtureUpstream, project: string, releases: Releases): Map<string, Buffer> {
  const published = new Map<string, Buffer>();
  const files = Object.entries(releases).map(([version, { uploaded, requires = [] }]) => {
    const filename = `${project}-${version}-py3-none-any.whl`;
    const [bytes, metadata] = [makeWheel(project, version, { requires }), metadataOf(project, version, requires)];
    published.set(version, bytes);
    upstream.routes.set(`/files/${filename}`, { body: bytes });
    upstream.routes.set(`/files/${filename}.metadata`, { body: metadata });
    return {
      filename,
      url: `/files/${filename}`,
      hashes: { sha256: sha256(bytes) },
      size: bytes.length,
      'upload-time': uploaded,
      'core-metadata': { sha256: sha256(Buffer.from(metadata)) },
    };
  });
  upstream.routes.set(`/${project}/`, {
    headers: { 'content-type': JSON_TYPE },
    body: JSON.stringify({ meta: { 'api-version': '1.1' }, name: project, versions: [], files }),
  });
  return published;
}

/** Publishes an npm package whose highest version is `latest`; resolves to the integrity of each version. */
export async function publishTarballs(
  upstream: FixtureUpstream,
  name: string,
  releases: Releases,
): Promise<Map<string, string>> {
  const published = new Map<string, string>();
  const versions: Record<string, unknown> = {};
  for (const [version, { requires = [] }] of Object.entries(releases)) {
    const manifest = { name, version, dependencies: Object.fromEntries(requires.map((other) => [other, '*'])) };
    const bytes = await makeTarball(manifest);
    const path = `/${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
    upstream.routes.set(path, { body: bytes });
    published.set(version, integrityOf(bytes));
    versions[version] = {
      ...manifest,
      dist: { tarball: `${upstream.url.origin}${path}`, integrity: integrityOf(bytes) },
    };
  }
  const time = Object.fromEntries(Object.entries(releases).map(([version, { uploaded }]) => [version, uploaded]));
  const body = JSON.stringify({ name, 'dist-tags': { latest: Object.keys(releases).at(-1) }, versions, time });
  upstream.routes.set(`/${name.replace('/', '%2f')}`, { headers: { 'content-type': 'application/json' }, body });
  return published;
}
