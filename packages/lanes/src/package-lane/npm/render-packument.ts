import type { Packument, Release } from './packument.ts';

export const ABBREVIATED_TYPE = 'application/vnd.npm.install-v1+json';

/** Fields of a manifest that an install needs. */
const MANIFEST_FIELDS = [
  'name',
  'version',
  'description',
  'license',
  'deprecated',
  'bin',
  'directories',
  'engines',
  'os',
  'cpu',
  'libc',
  'scripts',
  'gypfile',
  'funding',
  '_hasShrinkwrap',
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundleDependencies',
  'bundledDependencies',
  'acceptDependencies',
];
/** Signatures and attestations are not among them: they name the upstream. */
const DIST_FIELDS = ['integrity', 'shasum', 'fileCount', 'unpackedSize'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

/** File name of a version's tarball on the lane. */
export const tarballName = (name: string, version: string): string =>
  `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;

/**
 * Renders the packument for a client, which gets the same for the abbreviated and the full form: all that an install
 * needs, and the times. It leaves out what describes the package today, such as readme and owners.
 */
export function renderPackument(packument: Packument, origin: string): string {
  const { name, distTags, versions, times } = packument;
  const instants = [...times.values()].map((instant) => instant.getTime());
  return JSON.stringify({
    _id: name,
    name,
    'dist-tags': distTags,
    versions: Object.fromEntries(
      [...versions].map(([version, release]) => [version, renderRelease(name, release, origin)]),
    ),
    time: {
      ...(instants.length === 0
        ? {}
        : {
            created: new Date(Math.min(...instants)).toISOString(),
            modified: new Date(Math.max(...instants)).toISOString(),
          }),
      ...Object.fromEntries([...times].map(([version, instant]) => [version, instant.toISOString()])),
    },
  });
}

function renderRelease(name: string, release: Release, origin: string): unknown {
  const { manifest, dist, version } = release;
  const tarball = `${origin}/${name}/-/${encodeURIComponent(tarballName(name, version))}`;
  return {
    ...pick(manifest, MANIFEST_FIELDS),
    hasInstallScript: hasInstallScript(manifest) || undefined,
    dist: { ...pick(dist, DIST_FIELDS), tarball },
  };
}

function hasInstallScript(manifest: Record<string, unknown>): boolean {
  const { scripts, hasInstallScript: stated } = manifest;
  return (
    stated === true ||
    (typeof scripts === 'object' && scripts !== null && INSTALL_SCRIPTS.some((name) => name in scripts))
  );
}

const pick = (source: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])));
