import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { strongestHash, type ContentHash } from '../artefact-cache.ts';
import type { UpstreamDocument } from '../fetch-upstream.ts';

const Foreign = z.object({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()).catch({}),
  // Thousands of manifests, many megabytes: they are looked into below, where that makes no copy of each.
  versions: z.unknown(),
  time: z.record(z.string(), z.unknown()).catch({}),
});

/** One version of a package. */
export interface Release {
  version: string;
  /** Its `package.json` as the registry gives it, `dist` included. */
  manifest: Record<string, unknown>;
  dist: Record<string, unknown>;
  /** As the registry writes it; may be relative. */
  tarball: string;
  /** Null when the registry states none that can be checked. */
  hash: ContentHash | null;
}

/** A package as the upstream describes it; versions without a tarball are left out. */
export interface Packument {
  name: string;
  distTags: Record<string, string>;
  versions: Map<string, Release>;
  /** Version to the instant that the upstream states for it. */
  times: Map<string, Date>;
}

/** Throws `LANE_FAILED` when the document is no packument of `name`. */
export function parsePackument(name: string, document: UpstreamDocument): Packument {
  const parsed = Foreign.safeParse(tryJson(document.body.toString('utf8')));
  if (!parsed.success || parsed.data.name !== name) {
    throw new AssayError('LANE_FAILED', {
      lane: 'npm',
      detail: 'the upstream sent what is no description of the package',
      status: 502,
    });
  }
  const versions = new Map<string, Release>();
  for (const [version, manifest] of Object.entries(isRecord(parsed.data.versions) ? parsed.data.versions : {})) {
    const release = isRecord(manifest) && manifest['version'] === version ? parseRelease(version, manifest) : null;
    if (release) versions.set(version, release);
  }
  const times = new Map<string, Date>();
  for (const [version, text] of Object.entries(parsed.data.time)) {
    const instant = typeof text === 'string' ? new Date(text) : null;
    if (instant && !Number.isNaN(instant.getTime())) times.set(version, instant);
  }
  return { name, distTags: parsed.data['dist-tags'], versions, times };
}

function parseRelease(version: string, manifest: Record<string, unknown>): Release | null {
  const { dist } = manifest;
  if (!isRecord(dist) || typeof dist['tarball'] !== 'string') return null;
  return { version, manifest, dist, tarball: dist['tarball'], hash: statedHash(dist) };
}

/** The strongest hash of `integrity` (SRI) or, on npm's oldest packages, `shasum`. */
function statedHash(dist: Record<string, unknown>): ContentHash | null {
  const candidates: Record<string, string> = typeof dist['shasum'] === 'string' ? { sha1: dist['shasum'] } : {};
  for (const entry of typeof dist['integrity'] === 'string' ? dist['integrity'].split(/\s+/) : []) {
    const [, algorithm, base64] = /^(sha\d+)-([A-Za-z0-9+/]+=*)/.exec(entry) ?? [];
    if (algorithm && base64) candidates[algorithm] = Buffer.from(base64, 'base64').toString('hex');
  }
  return strongestHash(candidates);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
