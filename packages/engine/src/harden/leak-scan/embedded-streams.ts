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
/** A file with more of these is data that happens to look so. */
const MOST = 20_000;
const PROBE = 4096;

/**
 * Compressed streams that begin somewhere inside other data: in a PDF, a PNG, an executable, a package of another system, a zip
 * behind a program. A start is believed when its first bytes can be expanded.
 */
export function* embeddedStreams(bytes: Buffer): Generator<EmbeddedStream> {
  let given = 0;
  for (const [kind, mark] of MARKS) {
    for (let at = bytes.indexOf(mark); at >= 0 && given < MOST; at = bytes.indexOf(mark, at + 1)) {
      if (kind === 'bzip2' && !/^BZh[1-9]1AY&SY/.test(bytes.toString('latin1', at, at + 10))) continue;
      if (kind === 'gzip' && ((bytes[at + 3] ?? 0xff) & 0xe0) !== 0) continue;
      given += 1;
      yield { kind, offset: at };
    }
  }
  for (let at = bytes.indexOf(0x78); at >= 0 && given < MOST; at = bytes.indexOf(0x78, at + 1)) {
    if (!isZlibHeader(bytes, at) || !expands(bytes.subarray(at, at + PROBE), inflateSync)) continue;
    given += 1;
    yield { kind: 'zlib', offset: at };
  }
  for (let at = bytes.indexOf('PK\x03\x04'); at >= 0 && given < MOST; at = bytes.indexOf('PK\x03\x04', at + 1)) {
    const data = at + 30 + (bytes[at + 26] ?? 0) + 256 * (bytes[at + 27] ?? 0) + (bytes[at + 28] ?? 0) + 256 * (bytes[at + 29] ?? 0);
    if (bytes[at + 8] !== 8 || !expands(bytes.subarray(data, data + PROBE), inflateRawSync)) continue;
    given += 1;
    yield { kind: 'deflate', offset: data };
  }
}

function expands(beginning: Buffer, inflate: typeof inflateSync): boolean {
  try {
    return inflate(beginning, { finishFlush: 2, maxOutputLength: 16 * 1024 * 1024 }).length >= 60;
  } catch {
    return false;
  }
}
