import type { Packument, Release } from './packument.ts';

export const ABBREVIATED_TYPE = 'application/vnd.npm.install-v1+json';

/** What an install needs of a manifest. */
const INSTALL_FIELDS = [
  'name', 'version', 'deprecated', 'bin', 'directories', 'engines', 'os', 'cpu', 'libc', 'funding', 'license', '_hasShrinkwrap', 'dependencies', 'devDependencies',
  'optionalDependencies', 'peerDependencies', 'peerDependenciesMeta', 'bundleDependencies', 'bundledDependencies', 'acceptDependencies',
];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

/** File name of a version's tarball on the lane. */
export const tarballName = (name: string, version: string): string => `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;

/** The full form: manifests whole, with times. What describes the package as it is today (readme, owners) is not in it. */
export function renderFull(packument: Packument, origin: string): unknown {
  const versions = mapVersions(packument, (release) => ({ ...release.manifest, dist: lanePart(packument.name, release, origin) }));
  const instants = [...packument.times.values()].map((instant) => instant.getTime());
  const time = {
    ...(instants.length === 0 ? {} : { created: new Date(Math.min(...instants)).toISOString(), modified: new Date(Math.max(...instants)).toISOString() }),
    ...Object.fromEntries([...packument.times].map(([version, instant]) => [version, instant.toISOString()])),
  };
  const latest = packument.versions.get(packument.distTags['latest'] ?? '');
  const described = latest ? pick(latest.manifest, ['description', 'license', 'homepage', 'repository', 'keywords']) : {};
  return { _id: packument.name, name: packument.name, 'dist-tags': packument.distTags, versions, time, ...described };
}

/** The short form that installers ask for. */
export function renderAbbreviated(packument: Packument, origin: string): unknown {
  const versions = mapVersions(packument, (release) => ({
    ...pick(release.manifest, INSTALL_FIELDS),
    ...(hasInstallScript(release.manifest) ? { hasInstallScript: true } : {}),
    dist: lanePart(packument.name, release, origin),
  }));
  return { name: packument.name, 'dist-tags': packument.distTags, versions };
}

const mapVersions = (packument: Packument, render: (release: Release) => unknown): Record<string, unknown> =>
  Object.fromEntries([...packument.versions].map(([version, release]) => [version, render(release)]));

/** Signatures and attestations go: they name the upstream. */
const lanePart = (name: string, release: Release, origin: string): unknown => ({
  ...pick(release.dist, ['integrity', 'shasum', 'fileCount', 'unpackedSize']),
  tarball: `${origin}/${name}/-/${encodeURIComponent(tarballName(name, release.version))}`,
});

function hasInstallScript(manifest: Record<string, unknown>): boolean {
  const scripts = manifest['scripts'];
  if (manifest['hasInstallScript'] === true) return true;
  return typeof scripts === 'object' && scripts !== null && INSTALL_SCRIPTS.some((name) => name in scripts);
}

const pick = (source: Record<string, unknown>, names: string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]]])));
