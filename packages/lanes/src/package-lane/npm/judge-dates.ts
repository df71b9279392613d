import semver from 'semver';
import type { Packument } from './packument.ts';

export interface DirectDependency {
  /** Name on the registry: what an alias (`npm:other@^1`) points to. */
  name: string;
  range: string;
}

/**
 * Parses an entry of a manifest's `dependencies`. Returns null when it does not ask the registry (git, file, link,
 * workspace).
 */
export function parseDirectDependency(key: string, specifier: string): DirectDependency | null {
  const alias = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(specifier);
  const name = alias?.[1] ?? key;
  const range = alias ? (alias[2] ?? '*') : specifier.trim();
  if (semver.validRange(range, { loose: true }) !== null) return { name, range };
  // A tag such as `latest` or `next` names no versions of its own time.
  return /^[a-z][\w-]*$/i.test(range) ? { name, range: '*' } : null;
}

/** Lists the versions of a package within a range, lowest first. Prereleases only when there is nothing else. */
export function versionsWithin(packument: Packument, range: string): string[] {
  const all = [...packument.versions.keys()].filter((version) => semver.valid(version, { loose: true }));
  const strict = all.filter((version) => semver.satisfies(version, range, { loose: true }));
  const within =
    strict.length > 0
      ? strict
      : all.filter((version) => semver.satisfies(version, range, { loose: true, includePrerelease: true }));
  return within.sort((a, b) => semver.compare(a, b, { loose: true }));
}

/**
 * Whether the registry's dates contradict what T0's manifest shows: its author had a version within `range` before
 * `cutoff`, but the registry dates them all later. Returns the contradiction in words, or null.
 */
export function contradiction(packument: Packument, range: string, cutoff: Date): string | null {
  const within = versionsWithin(packument, range);
  if (within.length === 0) return null;
  const dates = within.flatMap((version) => packument.times.get(version) ?? []);
  if (dates.some((date) => date <= cutoff)) return null;
  const earliest = dates.reduce<Date | null>((first, date) => (first === null || date < first ? date : first), null);
  const stated = earliest === null ? 'none has a date' : `the earliest is dated ${earliest.toISOString()}`;
  return `${packument.name} ${range}: of ${within.length} versions ${stated}`;
}
