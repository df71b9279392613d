import { createHash } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { withinDisk } from '@assay/files/disk-full';
import { newDraft, openDrafts } from './drafts.ts';
import { capped, type UpstreamClient } from './fetch-upstream.ts';

/**
 * Strongest first. What cannot be checked by one of these is not served; sha1 alone stands on npm's oldest packages.
 */
const ALGORITHMS = ['sha512', 'sha384', 'sha256', 'sha1'] as const;
export type HashAlgorithm = (typeof ALGORITHMS)[number];

export interface ContentHash {
  algorithm: HashAlgorithm;
  /** Lower-case hex. */
  hex: string;
}

export interface Artefact {
  path: string;
  /** Bytes. */
  size: number;
}

interface Download {
  client: UpstreamClient;
  url: URL;
  hash: ContentHash;
  /** Bytes. */
  limit: number;
}

const HEX_LENGTH: Record<HashAlgorithm, number> = { sha512: 128, sha384: 96, sha256: 64, sha1: 40 };

/** Returns the strongest well-formed hash of `candidates` (algorithm to hex), or null. */
export function strongestHash(candidates: Record<string, string | undefined>): ContentHash | null {
  for (const algorithm of ALGORITHMS) {
    const hex = candidates[algorithm]?.toLowerCase();
    if (hex !== undefined && hex.length === HEX_LENGTH[algorithm] && /^[0-9a-f]+$/.test(hex)) return { algorithm, hex };
  }
  return null;
}

/**
 * Files by their content's hash: a name exists only once its bytes have been checked, so whatever is there may be
 * handed out.
 */
export class ArtefactCache {
  readonly #directory: string;
  readonly #drafts: string;
  /** Not shared with other lanes, whose downloads would end when one lane closes. */
  readonly #running = new Map<string, Promise<Artefact | null>>();

  constructor(cacheDirectory: string) {
    this.#directory = join(cacheDirectory, 'artefacts');
    this.#drafts = join(this.#directory, 'drafts');
  }

  /** Makes the directories and removes unfinished files of killed processes. */
  async open(): Promise<void> {
    await openDrafts(this.#drafts);
  }

  /**
   * The file with this hash, downloaded on first need; parallel callers share one download. Null when the upstream has
   * none. Throws `LANE_FAILED` when the upstream's bytes have another hash.
   */
  async get(client: UpstreamClient, url: URL, hash: ContentHash, limit: number): Promise<Artefact | null> {
    const path = join(this.#directory, `${hash.algorithm}-${hash.hex}`);
    const present = await stat(path).then(
      (entry) => entry.size,
      () => null,
    );
    if (present !== null) return { path, size: present };
    const key = `${path} ${limit}`;
    let download = this.#running.get(key);
    if (!download) {
      download = this.#download(path, { client, url, hash, limit }).finally(() => this.#running.delete(key));
      this.#running.set(key, download);
    }
    return await download;
  }

  #download(path: string, { client, url, hash, limit }: Download): Promise<Artefact | null> {
    return client.artefact(url, (body) =>
      withinDisk(this.#directory, async () => {
        const draft = newDraft(this.#drafts);
        const digest = createHash(hash.algorithm);
        let size = 0;
        const file = await open(draft, 'wx');
        try {
          for await (const chunk of capped(body, limit)) {
            digest.update(chunk);
            await file.writeFile(chunk);
            size += chunk.length;
          }
          if (digest.digest('hex') !== hash.hex) {
            throw new AssayError('LANE_FAILED', {
              lane: 'package',
              detail: `the upstream's bytes do not have the ${hash.algorithm} that its index gives`,
              status: 502,
            });
          }
          await rename(draft, path);
          return { path, size };
        } finally {
          await file.close();
          await rm(draft, { force: true });
        }
      }),
    );
  }
}
