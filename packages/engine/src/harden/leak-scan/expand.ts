import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import type { Transform } from 'node:stream';
import { AssayError } from '@assay/protocol';
import { runCommand } from '@assay/sandbox';
import { bufferSource, Spool, type ByteSource } from './byte-source.ts';

export type Compression = 'gzip' | 'zlib' | 'deflate' | 'bzip2' | 'xz' | 'zstd' | 'brotli';

export interface Expanded {
  source: ByteSource;
  /** Why the content is incomplete; null when it is not. */
  problem: string | null;
  close(): void;
}

const SMALL = 1024 * 1024;
const SMALL_OUTPUT = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;
/** Limit on the output of a command, which is held in memory. */
const COMMAND_OUTPUT = 256 * 1024 * 1024;

/**
 * Expands a compressed stream as far as it can be read, at most `limit` bytes. A damaged or truncated stream yields its
 * beginning.
 */
export async function expand(
  kind: Compression,
  source: ByteSource,
  limit: number,
  signal?: AbortSignal,
): Promise<Expanded> {
  if (kind === 'bzip2' || kind === 'xz') return expandByCommand(kind, source, limit, signal);
  if (source.size <= SMALL) {
    const quick = expandQuickly(kind, source, Math.min(limit, SMALL_OUTPUT));
    if (quick !== null) return quick;
  }
  return expandStream(kind, source, limit, signal);
}

function expandQuickly(kind: Exclude<Compression, 'bzip2' | 'xz'>, source: ByteSource, limit: number): Expanded | null {
  try {
    const bytes = source.read(0, source.size);
    const options = { maxOutputLength: limit };
    const sync = {
      gzip: gunzipSync,
      zlib: inflateSync,
      deflate: inflateRawSync,
      zstd: zstdDecompressSync,
      brotli: brotliDecompressSync,
    }[kind];
    return { source: bufferSource(sync(bytes, options)), problem: null, close: () => {} };
  } catch {
    // Damaged, truncated or large: the stream yields what there is.
    return null;
  }
}

function decompressor(kind: Exclude<Compression, 'bzip2' | 'xz'>): Transform {
  const partial = { finishFlush: constants.Z_SYNC_FLUSH };
  switch (kind) {
    case 'gzip':
      return createGunzip(partial);
    case 'zlib':
      return createInflate(partial);
    case 'deflate':
      return createInflateRaw(partial);
    case 'zstd':
      return createZstdDecompress();
    case 'brotli':
      return createBrotliDecompress();
  }
}

function expandStream(
  kind: Exclude<Compression, 'bzip2' | 'xz'>,
  source: ByteSource,
  limit: number,
  signal?: AbortSignal,
): Promise<Expanded> {
  return new Promise((resolve, reject) => {
    const spool = new Spool();
    const stream = decompressor(kind);
    let settled = false;
    let offset = 0;
    const finish = (problem: string | null): void => {
      if (settled) return;
      settled = true;
      stream.destroy();
      if (signal?.aborted) {
        spool.close();
        reject(new AssayError('INTERRUPTED', {}, { cause: signal.reason }));
        return;
      }
      resolve({ source: spool.source(), problem, close: () => spool.close() });
    };
    const feed = (): void => {
      while (!settled) {
        if (signal?.aborted) return finish('interrupted');
        const piece = source.read(offset, PIECE);
        offset += piece.length;
        if (piece.length === 0) {
          stream.end();
          return;
        }
        if (!stream.write(piece)) {
          stream.once('drain', feed);
          return;
        }
      }
    };
    stream.on('data', (chunk: Buffer) => {
      if (settled) return;
      spool.add(chunk);
      if (spool.size > limit) finish(`expands beyond ${limit} bytes`);
    });
    stream.once('error', (error) => finish(`damaged: ${error.message}`));
    stream.once('end', () => finish(null));
    feed();
  });
}

async function expandByCommand(
  kind: 'bzip2' | 'xz',
  source: ByteSource,
  limit: number,
  signal?: AbortSignal,
): Promise<Expanded> {
  const nothing = bufferSource(Buffer.alloc(0));
  if (source.size > COMMAND_OUTPUT) return { source: nothing, problem: 'too large', close: () => {} };
  const argv = kind === 'xz' ? ['xz', '-dc', '--memlimit-decompress=1GiB'] : ['bzip2', '-dc'];
  try {
    const result = await runCommand(argv, {
      stdin: source.read(0, source.size),
      maxOutputBytes: Math.min(limit, COMMAND_OUTPUT),
      timeoutMs: 300_000,
      signal,
    });
    const problem = result.truncated
      ? `expands beyond ${Math.min(limit, COMMAND_OUTPUT)} bytes`
      : result.exitCode === 0
        ? null
        : `damaged: ${firstLine(result.stderr)}`;
    return { source: bufferSource(result.stdout), problem, close: () => {} };
  } catch (error) {
    if (AssayError.is(error) && error.code === 'COMMAND_NOT_FOUND')
      return { source: nothing, problem: `${kind} is not installed`, close: () => {} };
    throw error;
  }
}

function firstLine(stderr: Buffer): string {
  return stderr.toString('utf8').split('\n', 1)[0] ?? '';
}
