import { inflateRawSync, inflateSync } from 'node:zlib';
import type { Compression } from './expand.ts';
import { isZlibHeader } from './file-kind.ts';

export interface EmbeddedStream {
  kind: Compression;
  offset: number;
}

const MARKS: [Compression, Buffer][] = [
  ['gzip', Buffer.from('\x1f\x8b\x08', 'latin1')],
  ['xz', Buffer.from('\xfd7zXZ\0', 'latin1')],
  ['zstd', Buffer.from('\x28\xb5\x2f\xfd', 'latin1')],
  ['bzip2', Buffer.from('BZh', 'latin1')],
];
/** Limit per kind and content; a file with more is data that happens to look like streams. */
const MOST: Record<Compression, number> = {
  gzip: 10_000,
  zlib: 20_000,
  deflate: 20_000,
  brotli: 0,
  zstd: 1000,
  xz: 100,
  bzip2: 100,
};
const PROBE = 2048;
/** Limit on the bytes expanded to see whether a stream ends properly. */
const MAX_CHECKED = 64 * 1024 * 1024;

/**
 * Finds compressed streams that begin inside other data: in a PDF, a PNG, an executable, a foreign package, a zip
 * behind a program. Bytes of a program look like the start of one every few kilobytes, so a stream is accepted only if
 * it ends properly or begins with text.
 */
export function* embeddedStreams(bytes: Buffer): Generator<EmbeddedStream> {
  for (const [kind, mark] of MARKS) {
    let given = 0;
    for (let at = bytes.indexOf(mark); at >= 0 && given < MOST[kind]; at = bytes.indexOf(mark, at + 1)) {
      if (kind === 'bzip2' && !/^BZh[1-9]1AY&SY/.test(bytes.toString('latin1', at, at + 10))) continue;
      if (kind === 'gzip' && ((bytes[at + 3] ?? 0xff) & 0xe0) !== 0) continue;
      given += 1;
      yield { kind, offset: at };
    }
  }
  yield* zlibStreams(bytes);
  yield* zipStreams(bytes);
}

function* zlibStreams(bytes: Buffer): Generator<EmbeddedStream> {
  let given = 0;
  for (let at = bytes.indexOf(0x78); at >= 0 && given < MOST.zlib; at = bytes.indexOf(0x78, at + 1)) {
    if (!isZlibHeader(bytes, at) || !isDeflateStart(bytes, at + 2) || !isStream(bytes.subarray(at), inflateSync))
      continue;
    given += 1;
    yield { kind: 'zlib', offset: at };
  }
}

function* zipStreams(bytes: Buffer): Generator<EmbeddedStream> {
  let given = 0;
  for (
    let at = bytes.indexOf('PK\x03\x04');
    at >= 0 && given < MOST.deflate;
    at = bytes.indexOf('PK\x03\x04', at + 1)
  ) {
    const data =
      at +
      30 +
      (bytes[at + 26] ?? 0) +
      256 * (bytes[at + 27] ?? 0) +
      (bytes[at + 28] ?? 0) +
      256 * (bytes[at + 29] ?? 0);
    if (bytes[at + 8] !== 8 || !isDeflateStart(bytes, data) || !isStream(bytes.subarray(data), inflateRawSync))
      continue;
    given += 1;
    yield { kind: 'deflate', offset: data };
  }
}

function isStream(bytes: Buffer, inflate: typeof inflateSync): boolean {
  try {
    // Z_SYNC_FLUSH: the probe ends in the middle of the stream.
    const beginning = inflate(bytes.subarray(0, PROBE), { finishFlush: 2, maxOutputLength: 4 * 1024 * 1024 });
    if (beginning.length < 60) return false;
    if (looksLikeText(beginning)) return true;
    inflate(bytes, { maxOutputLength: MAX_CHECKED });
    return true;
  } catch (error) {
    return error instanceof RangeError;
  }
}

/** Whether nine in ten of the first bytes are printable. */
export function looksLikeText(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, 256);
  let printable = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    if ((byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13) printable += 1;
  }
  return printable > length * 0.9;
}

/** Number of code lengths of a dynamic block's first code. */
const MOST_CODES = 19;

/** Judges a block of deflate data by its head, without expanding it. */
export function isDeflateStart(bytes: Buffer, at: number): boolean {
  const head = bytes.subarray(at, at + 12);
  if (head.length < 5) return false;
  const type = ((head[0] ?? 0) >> 1) & 3;
  if (type === 3) return false;
  if (type === 0) return (head.readUInt16LE(1) ^ 0xffff) === head.readUInt16LE(3);
  if (type === 1) return true;
  const bits = (from: number, count: number): number => {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1)
      value |= (((head[(from + bit) >> 3] ?? 0) >> ((from + bit) & 7)) & 1) << bit;
    return value;
  };
  if (bits(3, 5) > 29 || bits(8, 5) > 29) return false;
  // A code whose lengths do not add up to one is not a code.
  const codes = Math.min(bits(13, 4) + 4, MOST_CODES);
  let sum = 0;
  for (let code = 0; code < codes; code += 1) {
    const length = bits(17 + 3 * code, 3);
    if (length > 0) sum += 128 >> length;
  }
  return sum === 128;
}
