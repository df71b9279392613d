import semver from 'semver';
import type { LaneResolution } from '../contract.ts';
import type { Packument, Release } from './packument.ts';
import { versionsWithin } from './judge-dates.ts';

export interface FreezeRules {
  resolution: LaneResolution;
  cutoff: Date;
  /** With resolution `lowest`: the ranges that T0's manifests give for this package. */
  ranges: string[];
}

/**
 * The part of a packument that a client may see. `date`: versions dated at or before the cutoff. `lowest`: all
 * versions, but `latest`, which npm takes whenever it lies within a range, is the lowest that the direct range allows;
 * hiding the others would make the whole tree unsolvable as soon as one indirect range asks for more. A range without a
 * lower end (`*`, a tag) leaves `latest` as it is, for its lowest version is whatever somebody first tried out.
 * `lockfile`: all versions. Whatever has no hash is left out.
 */
export function freezePackument(packument: Packument, rules: FreezeRules): Packument {
  const versions = new Map<string, Release>();
  for (const [version, release] of packument.versions) {
    const date = packument.times.get(version);
    const early = rules.resolution !== 'date' || (date !== undefined && date <= rules.cutoff);
    if (early && release.hash !== null) versions.set(version, release);
  }
  const times = new Map([...packument.times].filter(([version]) => versions.has(version)));
  const visible = { name: packument.name, versions, times, distTags: visibleTags(packument.distTags, versions) };
  return rules.resolution === 'lowest' ? preferLowest(visible, rules.ranges) : visible;
}

/** Tags whose version can be seen; `latest` always names one: the highest release, or else the highest prerelease. */
function visibleTags(tags: Record<string, string>, versions: Map<string, Release>): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(tags).filter(([, version]) => versions.has(version)));
  if (kept['latest'] !== undefined) return kept;
  const sorted = [...versions.keys()]
    .filter((version) => semver.valid(version, { loose: true }))
    .sort((a, b) => semver.rcompare(a, b, { loose: true }));
  const latest = sorted.find((version) => semver.prerelease(version, { loose: true }) === null) ?? sorted[0];
  return latest === undefined ? kept : { ...kept, latest };
}

function preferLowest(packument: Packument, ranges: string[]): Packument {
  const bounded = ranges.filter((range) => !semver.satisfies('0.0.0', range, { loose: true }));
  const lowest = bounded
    .flatMap((range) => versionsWithin(packument, range)[0] ?? [])
    .sort((a, b) => semver.rcompare(a, b, { loose: true }))[0];
  const release = lowest === undefined ? undefined : packument.versions.get(lowest);
  if (lowest === undefined || release === undefined) return packument;
  // npm passes over a `latest` that is deprecated or wants another Node.
  const { deprecated: _deprecated, engines: _engines, ...manifest } = release.manifest;
  const versions = new Map(packument.versions).set(lowest, { ...release, manifest });
  return { ...packument, versions, distTags: { ...packument.distTags, latest: lowest } };
}
