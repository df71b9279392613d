import type { ByteSource } from './byte-source.ts';
import type { Compression } from './expand.ts';
import { isTarHeader } from './tar-entries.ts';

export type FileKind = Compression | 'zip' | 'tar' | 'pack' | 'bundle' | 'sqlite' | 'bytecode' | 'foreign' | 'plain';

/** Formats that cannot be opened here, by their first bytes; the value names the format. */
const FOREIGN: [Buffer, string][] = [
  [Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), '7-Zip'],
  [Buffer.from('Rar!\x1a\x07', 'latin1'), 'RAR'],
  [Buffer.from('\x04\x22\x4d\x18', 'latin1'), 'LZ4'],
  [Buffer.from('LZIP\x01', 'latin1'), 'lzip'],
  [Buffer.from('\x89LZO\0', 'latin1'), 'LZO'],
  [Buffer.from('MSCF\0\0\0\0', 'latin1'), 'cabinet'],
  [Buffer.from('\x1f\x9d', 'latin1'), 'compress'],
  [Buffer.from('hsqs', 'latin1'), 'squashfs'],
];

/** Determines the kind of a file by its content. The name counts only for Brotli, which has no signature. */
export function fileKind(source: ByteSource, name: string): FileKind {
  const head = source.read(0, 512);
  const starts = (text: string): boolean => head.toString('latin1', 0, text.length) === text;
  if (starts('\x1f\x8b')) return 'gzip';
  if (starts('PK\x03\x04') || starts('PK\x05\x06')) return 'zip';
  if (starts('PACK\0\0\0')) return 'pack';
  if (starts('\xfd7zXZ\0') || (starts('\x5d\0\0') && name.endsWith('.lzma'))) return 'xz';
  if (/^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/.test(head.toString('latin1', 0, 10))) return 'bzip2';
  if (starts('\x28\xb5\x2f\xfd')) return 'zstd';
  if (starts('# v2 git bundle') || starts('# v3 git bundle')) return 'bundle';
  if (starts('SQLite format 3\0')) return 'sqlite';
  if (isZlibHeader(head, 0)) return 'zlib';
  if (foreignKind(head) !== null) return 'foreign';
  if (isTarHeader(head)) return 'tar';
  if (head[2] === 0x0d && head[3] === 0x0a && head.length >= 16 && (head[1] ?? 0) < 0x20) return 'bytecode';
  if (name.endsWith('.br')) return 'brotli';
  return 'plain';
}

export function foreignKind(head: Buffer): string | null {
  return FOREIGN.find(([mark]) => head.subarray(0, mark.length).equals(mark))?.[1] ?? null;
}

/** Whether a zlib header announces deflate data with a 32 KiB window, as nearly all do. */
export function isZlibHeader(bytes: Buffer, at: number): boolean {
  const second = bytes[at + 1];
  return bytes[at] === 0x78 && (second === 0x01 || second === 0x5e || second === 0x9c || second === 0xda);
}
