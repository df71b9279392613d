import { readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, canonicalJson } from '@assay/protocol';
import semver from 'semver';
import { z } from 'zod';
import type { ContentHash } from '@assay/lanes/package-lane/artefact-cache';
import { DEFAULT_LANE_LIMITS } from '@assay/lanes/package-lane/contract';
import { parseDirectDependency } from '@assay/lanes/package-lane/npm/judge-dates';
import { packumentAddress } from '@assay/lanes/package-lane/npm/npm-index';
import { parsePackument, type Packument, type Release } from '@assay/lanes/package-lane/npm/packument';
import { unpackTarball } from '@assay/lanes/package-lane/npm/unpack-tarball';
import { withUpstream } from '@assay/lanes/package-lane/tool-download';
import type { Upstream } from '@assay/lanes/package-lane/upstream';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { AgentPackage, InstallOptions } from '../agent.ts';
import type { CliPlatform, CliRecipe, InstalledCli } from './cli-agent.ts';
import { isRecord } from './event-fields.ts';

/** Part of an installation's key: raise it, and every installation is made anew. */
const LAYOUT = 1;
const RECORD = 'installed.json';
const Installed = z.object({
  version: z.string(),
  packages: z.array(z.object({ name: z.string(), version: z.string(), integrity: z.string() })),
});

export interface InstallCliOptions extends InstallOptions {
  /** Default: the registry that npm on this machine is configured to use. */
  upstream?: Upstream;
  platform?: CliPlatform;
}

/**
 * Downloads a CLI's packages from npm, checks their integrity and unpacks them into a read-only layer of the cache,
 * once per version. None of their code runs. Parallel callers, in other processes too, wait for the first. Throws
 * `BAD_OPTION` for a version that npm does not have or that is not for this machine, `LANE_FAILED`, `UPSTREAM_UNKNOWN`
 * and `INTERRUPTED`.
 */
export async function installCli(
  recipe: CliRecipe,
  version: string,
  options: InstallCliOptions,
): Promise<InstalledCli> {
  const { cacheDirectory, upstream, signal, progress, platform = cliPlatform() } = options;
  const directory = await prepareLayer(cacheDirectory, layerName(recipe, version, platform), (draft) =>
    withUpstream('npm', { cacheDirectory, upstream, signal }, async (client, artefacts) => {
      const read = async (name: string): Promise<Packument | null> => {
        const document = await client.document(packumentAddress(name, client.upstream.url), 'application/json');
        return document && parsePackument(name, document);
      };
      const packages: AgentPackage[] = [];
      for (const { place, release, name } of await resolveParts(recipe, version, platform, read)) {
        progress?.(`fetching ${name}@${release.version}`);
        const integrity = checkPinned(recipe, name, release);
        const tarball =
          release.hash &&
          (await artefacts.get(
            client,
            new URL(release.tarball, client.upstream.url),
            release.hash,
            DEFAULT_LANE_LIMITS.artefactBytes,
          ));
        if (!tarball) throw failed(`the upstream has no ${name}@${release.version}`);
        const target = join(draft, 'node_modules', place);
        await mkdir(target, { recursive: true });
        await unpackTarball(tarball.path, target);
        packages.push({ name, version: release.version, integrity });
      }
      await openToAll(draft);
      await writeFile(join(draft, RECORD), JSON.stringify({ version, packages }));
      await chmod(draft, 0o755);
    }),
  );
  return { ...Installed.parse(JSON.parse(await readFile(join(directory, RECORD), 'utf8'))), directory };
}

/** Whether `installCli` would need no network. */
export async function isInstalled(recipe: CliRecipe, version: string, cacheDirectory: string): Promise<boolean> {
  return await stat(join(cacheDirectory, 'layers', layerName(recipe, version, cliPlatform()), RECORD)).then(
    () => true,
    () => false,
  );
}

/** Returns the platform of programs in a sandbox, which holds the system of this machine. */
export function cliPlatform(): CliPlatform {
  const report = process.report.getReport();
  const header: unknown = 'header' in report ? report.header : null;
  return {
    arch: process.arch,
    libc: isRecord(header) && 'glibcVersionRuntime' in header ? 'glibc' : 'musl',
    avx2: process.arch === 'x64' && hasAvx2(),
  };
}

interface Part {
  place: string;
  name: string;
  release: Release;
}

/** Resolves the packages to unpack, as the release itself names them. */
async function resolveParts(
  recipe: CliRecipe,
  version: string,
  platform: CliPlatform,
  read: (name: string) => Promise<Packument | null>,
): Promise<Part[]> {
  const packument = await read(recipe.package);
  const release = packument?.versions.get(version);
  if (!packument || !release)
    throw badVersion(recipe, version, `npm has no ${recipe.package}@${version}${newestOf(packument)}`);
  const { own, optional } = recipe.parts(platform);
  const parts: Part[] = own ? [{ place: recipe.package, name: recipe.package, release }] : [];
  const named = isRecord(release.manifest['optionalDependencies']) ? release.manifest['optionalDependencies'] : {};
  for (const { name: place, needed } of optional) {
    const target = typeof named[place] === 'string' ? parseDirectDependency(place, named[place]) : null;
    const found =
      target && (target.name === recipe.package ? packument : await read(target.name))?.versions.get(target.range);
    if (target && found) parts.push({ place, name: target.name, release: found });
    else if (needed)
      throw badVersion(
        recipe,
        version,
        `it has no program for this machine: npm has no ${target ? `${target.name}@${target.range}` : place}`,
      );
  }
  return parts;
}

/**
 * Returns the integrity in npm's notation. Throws `LANE_FAILED` when the registry's bytes differ from those the recipe
 * was tried with.
 */
function checkPinned(recipe: CliRecipe, name: string, release: Release): string {
  if (release.hash === null) throw failed(`${name}@${release.version} has no hash that can be checked`);
  const stated = sri(release.hash);
  const pinned = recipe.integrity[`${name}@${release.version}`];
  if (pinned !== undefined && pinned !== stated)
    throw failed(`${name}@${release.version} is not what it was: its integrity is ${stated}, and not ${pinned}`);
  return stated;
}

/** Makes files readable to all whatever the umask: an agent runs as another user. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o111 ? 0o755 : 0o644);
  }
}

function layerName(recipe: CliRecipe, version: string, platform: CliPlatform): string {
  const key = canonicalJson({ layout: LAYOUT, package: recipe.package, version, parts: recipe.parts(platform) });
  return `agent-${recipe.name}-${version}-${sha256(key).slice(0, 16)}`;
}

function newestOf(packument: Packument | null): string {
  const newest = [...(packument?.versions.keys() ?? [])]
    .filter((each) => semver.valid(each) !== null && semver.prerelease(each) === null)
    .sort(semver.rcompare)[0];
  return newest === undefined ? '' : `; its newest is ${newest}`;
}

function hasAvx2(): boolean {
  try {
    return /\savx2\s/.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

const sri = ({ algorithm, hex }: ContentHash): string => `${algorithm}-${Buffer.from(hex, 'hex').toString('base64')}`;

const badVersion = (recipe: CliRecipe, version: string, detail: string): AssayError =>
  new AssayError('BAD_OPTION', { option: `--agent ${recipe.name}@${version}`, detail });

const failed = (detail: string): AssayError => new AssayError('LANE_FAILED', { lane: 'npm', detail });
