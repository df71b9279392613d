import { AssayError } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import { contentIdOfSha256 } from './content-id.ts';
import type { ContentStore } from './content-store.ts';
import { withHostFile } from './host-file.ts';
import { fetchPublic } from './http/fetch-public.ts';
import { parseReference, type ContentReference } from './parse-reference.ts';

export interface FetchContentOptions {
  store: ContentStore;
  /** More content than this raises `CONTENT_TOO_LARGE`. */
  maxBytes: number;
  /** Default: 60 s by CID, 30 s by URL. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /**
   * The user gave the reference: then it may be a file of this machine, or a URL at a local address. Never for what a
   * document, a chain or a server gave. Default false.
   */
  allowLocal?: boolean | undefined;
}

export interface FetchedContent {
  bytes: Buffer;
  /** Digest of the bytes in lower-case hexadecimal. */
  sha256: string;
  /** The id by which they were requested and verified. Null where a URL, a file or the reference itself gave them. */
  cid: string | null;
}

/** Limits of `assay judge`, in bytes. */
export const STANDARD_BYTES = 1024 * 1024;
export const SUBMISSION_BYTES = 10 * 1024 * 1024;

/**
 * Gets what a reference stands for. Throws what {@link parseReference}, {@link ContentStore} and {@link fetchPublic}
 * throw.
 */
export async function fetchContent(
  reference: string | ContentReference,
  options: FetchContentOptions,
): Promise<FetchedContent> {
  const parsed = typeof reference === 'string' ? parseReference(reference) : reference;
  const { store, maxBytes, timeoutMs, signal } = options;
  switch (parsed.kind) {
    case 'cid':
      return described(await store.get(parsed.cid, { maxBytes, timeoutMs, signal, path: parsed.path }), parsed.cid);
    case 'sha256': {
      // The sha2-256 of bytes is that of their one raw block, if they were stored as one.
      const cid = contentIdOfSha256(parsed.sha256).toString();
      return described(await store.get(cid, { maxBytes, timeoutMs, signal }), cid);
    }
    case 'url':
      return described(
        (
          await fetchPublic(parsed.url, {
            maxBytes,
            timeoutMs,
            signal,
            local: options.allowLocal === true ? 'named' : 'never',
          })
        ).bytes,
        null,
      );
    case 'inline':
      if (parsed.bytes.length > maxBytes)
        throw new AssayError('CONTENT_TOO_LARGE', { reference: 'the inline content', limit: maxBytes });
      return described(parsed.bytes, null);
    case 'file':
      if (options.allowLocal !== true)
        throw new AssayError('ADDRESS_REFUSED', {
          url: JSON.stringify(parsed.path.slice(0, 100)),
          detail: 'only the user may name a file of this machine',
        });
      return described(await readLocalFile(parsed.path, maxBytes), null);
  }
}

function described(bytes: Buffer, cid: string | null): FetchedContent {
  return { bytes, sha256: sha256(bytes), cid };
}

/** Reads a regular file, at most `maxBytes` of it even while it grows. */
function readLocalFile(path: string, maxBytes: number): Promise<Buffer> {
  return withHostFile(path, async (file, expected) => {
    const buffer = Buffer.alloc(Math.min(expected, maxBytes) + 1);
    let size = 0;
    for (let count = -1; count !== 0 && size < buffer.length; size += count)
      ({ bytesRead: count } = await file.read(buffer, size, buffer.length - size));
    if (size > maxBytes) throw new AssayError('CONTENT_TOO_LARGE', { reference: path, limit: maxBytes });
    return buffer.subarray(0, size);
  });
}
