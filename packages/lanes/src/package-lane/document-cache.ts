import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '@assay/files/content-digest';
import { withinDisk } from '@assay/files/disk-full';
import { newDraft, openDrafts } from './drafts.ts';
import type { UpstreamClient, UpstreamDocument } from './fetch-upstream.ts';

/** The past does not change: an index page an hour old shows every file that existed at any cutoff a task can have. */
const MAX_AGE_MS = 60 * 60_000;

/**
 * Index pages and packuments as the upstream sent them, kept for an hour so that tasks of one repository share them.
 */
export class DocumentCache {
  readonly #directory: string;
  readonly #drafts: string;

  constructor(cacheDirectory: string) {
    this.#directory = join(cacheDirectory, 'indexes');
    this.#drafts = join(this.#directory, 'drafts');
  }

  /** Makes the directories and removes unfinished files of killed processes. */
  async open(): Promise<void> {
    await openDrafts(this.#drafts);
  }

  /** Fetches a document. Returns null when the upstream has none, which is not cached. */
  async get(client: UpstreamClient, url: URL, accept: string): Promise<UpstreamDocument | null> {
    const path = join(this.#directory, sha256(`${url.href}\n${accept}`));
    const kept = await this.#read(path);
    if (kept) return kept;
    const document = await client.document(url, accept);
    if (document) await withinDisk(this.#directory, () => this.#write(path, document));
    return document;
  }

  async #read(path: string): Promise<UpstreamDocument | null> {
    try {
      const { mtimeMs } = await stat(path);
      if (Math.abs(Date.now() - mtimeMs) > MAX_AGE_MS) return null;
      const bytes = await readFile(path);
      const end = bytes.indexOf('\n');
      const [contentType = '', address = ''] = bytes.subarray(0, end).toString().split('\t');
      return { contentType, url: new URL(address), body: bytes.subarray(end + 1) };
    } catch {
      return null;
    }
  }

  async #write(path: string, document: UpstreamDocument): Promise<void> {
    const draft = newDraft(this.#drafts);
    try {
      const head = `${document.contentType.replace(/[\t\n]/g, ' ')}\t${document.url.href}\n`;
      await writeFile(draft, Buffer.concat([Buffer.from(head), document.body]));
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  }
}
