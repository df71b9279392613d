import { sliceSource, type ByteSource } from './byte-source.ts';

export interface TarEntry {
  name: string;
  /** Target of a link; else empty. */
  target: string;
  data: ByteSource;
}

const BLOCK = 512;

/** Whether a block is a tar header, that is, its checksum is right. */
export function isTarHeader(block: Buffer): boolean {
  if (block.length < BLOCK || block[0] === 0) return false;
  const told = octal(block, 148, 8);
  let sum = 8 * 32;
  for (let index = 0; index < BLOCK; index += 1) if (index < 148 || index >= 156) sum += block[index] ?? 0;
  return told === sum;
}

/**
 * Yields every entry, even those behind an end mark. GNU long names and pax paths are applied; other kinds of entries
 * carry data too.
 */
export function* tarEntries(source: ByteSource): Generator<TarEntry> {
  let longName: string | null = null;
  let longTarget: string | null = null;
  for (let at = 0; at + BLOCK <= source.size;) {
    const block = source.read(at, BLOCK);
    if (!isTarHeader(block)) {
      at += BLOCK;
      continue;
    }
    const size = Math.max(0, number(block, 124, 12));
    const data = sliceSource(source, at + BLOCK, at + BLOCK + size);
    const type = String.fromCharCode(block[156] ?? 0);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'L') longName = text(data.read(0, 65_536));
    else if (type === 'K') longTarget = text(data.read(0, 65_536));
    else if (type === 'x' || type === 'g') {
      const records = data.read(0, 1024 * 1024).toString('utf8');
      longName = /^\d+ path=(.*)$/m.exec(records)?.[1] ?? longName;
      longTarget = /^\d+ linkpath=(.*)$/m.exec(records)?.[1] ?? longTarget;
    } else {
      const prefix = text(block.subarray(345, 500));
      const plain = text(block.subarray(0, 100));
      yield {
        name:
          longName ?? (prefix !== '' && block.toString('latin1', 257, 262) === 'ustar' ? `${prefix}/${plain}` : plain),
        target: longTarget ?? text(block.subarray(157, 257)),
        data,
      };
      longName = null;
      longTarget = null;
    }
  }
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function octal(block: Buffer, from: number, length: number): number {
  return Number.parseInt(
    block
      .toString('latin1', from, from + length)
      .replace(/[\0 ]+/g, ' ')
      .trim() || '0',
    8,
  );
}

/** Reads a number: octal, or binary when the first bit is set (GNU, for large files). */
function number(block: Buffer, from: number, length: number): number {
  if (((block[from] ?? 0) & 0x80) === 0) return octal(block, from, length) || 0;
  return Number(block.readBigUInt64BE(from + length - 8) & 0x1fffffffffffffn);
}
