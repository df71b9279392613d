import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from '@assay/files/atomic-write';
import { sha256 } from '@assay/files/content-digest';
import { z } from 'zod';

/** An answer of a forge. */
export type Kept = z.infer<typeof Kept>;
const Kept = z.strictObject({
  /** What the server calls this version of it; null where it calls it nothing. */
  etag: z.string().nullable(),
  /** When it came, in milliseconds. */
  at: z.number(),
  /** Address of the next page. */
  next: z.string().nullable(),
  body: z.unknown(),
});

/**
 * Answers of forges on the disk, by address, and by whether a token asked for them. No token is part of any name or
 * content. Others on this machine cannot read them.
 */
export class ForgeCache {
  readonly #directory: string;

  constructor(cacheDirectory: string) {
    this.#directory = join(cacheDirectory, 'forges');
  }

  /** Null for what is not there, or damaged. */
  async read(key: CacheKey): Promise<Kept | null> {
    try {
      return Kept.parse(JSON.parse(await readFile(this.#pathOf(key), 'utf8')));
    } catch {
      return null;
    }
  }

  async write(key: CacheKey, kept: Kept): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeAtomic(this.#pathOf(key), JSON.stringify(kept), { mode: 0o600 });
  }

  #pathOf({ url, withToken }: CacheKey): string {
    return join(this.#directory, `${sha256(`${withToken ? 'token' : 'anonymous'} ${url.href}`)}.json`);
  }
}

export interface CacheKey {
  url: URL;
  withToken: boolean;
}
