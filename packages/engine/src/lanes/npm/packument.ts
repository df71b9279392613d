import { AssayError } from '@assay/protocol';
import { z } from 'zod';
import { strongestHash, type ContentHash } from '../artefact-cache.ts';
import type { UpstreamDocument } from '../fetch-upstream.ts';

const Manifest = z.looseObject({
  version: z.string(),
  dist: z.looseObject({ tarball: z.string(), integrity: z.string().optional().catch(undefined), shasum: z.string().optional().catch(undefined) }),
});
export type Manifest = z.infer<typeof Manifest>;

const Packument = z.object({
  name: z.string(),
  'dist-tags': z.record(z.string(), z.string()).catch({}),
  versions: z.record(z.string(), z.unknown()).catch({}),
  time: z.record(z.string(), z.unknown()).catch({}),
});

/** A package as the upstream describes it; manifests without a tarball are left out. */
export interface Packument {
  name: string;
  distTags: Record<string, string>;
  versions: Map<string, Manifest>;
  /** Version to the instant that the upstream states for it. */
  times: Map<string, Date>;
}

/** Throws `LANE_FAILED` when the document is no packument of `name`. */
export function parsePackument(name: string, document: UpstreamDocument): Packument {
  const parsed = Packument.safeParse(tryJson(document.body.toString('utf8')));
  if (!parsed.success || parsed.data.name !== name) {
    throw new AssayError('LANE_FAILED', { lane: 'npm', detail: 'the upstream sent what is no description of the package', status: 502 });
  }
  const versions = new Map<string, Manifest>();
  for (const [version, candidate] of Object.entries(parsed.data.versions)) {
    const manifest = Manifest.safeParse(candidate);
    if (manifest.success && manifest.data.version === version) versions.set(version, manifest.data);
  }
  const times = new Map<string, Date>();
  for (const [version, text] of Object.entries(parsed.data.time)) {
    const instant = typeof text === 'string' ? new Date(text) : null;
    if (instant && !Number.isNaN(instant.getTime())) times.set(version, instant);
  }
  return { name, distTags: parsed.data['dist-tags'], versions, times };
}

/** The strongest hash of a tarball that its manifest states, or null. */
export function tarballHash(manifest: Manifest): ContentHash | null {
  const candidates: Record<string, string | undefined> = { sha1: manifest.dist.shasum };
  for (const entry of (manifest.dist.integrity ?? '').split(/\s+/)) {
    const [, algorithm, base64] = /^(sha\d+)-([A-Za-z0-9+/]+=*)/.exec(entry) ?? [];
    if (algorithm && base64) candidates[algorithm] = Buffer.from(base64, 'base64').toString('hex');
  }
  return strongestHash(candidates);
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
