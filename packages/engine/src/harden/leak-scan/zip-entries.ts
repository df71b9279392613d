import { sliceSource, type ByteSource } from './byte-source.ts';

export interface ZipEntry {
  name: string;
  /** Compression method as in the file: 0 stored, 8 deflate, and so on. */
  method: number;
  encrypted: boolean;
  /** From the first compressed byte to the last, or to the end of the file when the length is unknown. */
  data: ByteSource;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const PIECE = 1024 * 1024;

/** Finds the first local header in a file that begins with something else; -1 without one. */
export function findZip(source: ByteSource): number {
  return source.read(0, 4).length === 4 && source.read(0, 4).readUInt32LE(0) === LOCAL
    ? 0
    : endRecord(source) === null
      ? -1
      : 0;
}

/**
 * Yields the entries of the central directory, then those that only have a local header: deleted, hidden, or of a
 * damaged archive.
 */
export function* zipEntries(source: ByteSource): Generator<ZipEntry> {
  const covered: [number, number][] = [];
  for (const { entry, offset, end } of placedEntries(source)) {
    covered.push([offset, end]);
    yield entry;
  }
  covered.sort((a, b) => a[0] - b[0]);
  yield* strayEntries(source, covered);
}

/** Yields the entries of the central directory alone: those that an archive says it holds. */
export function* listedEntries(source: ByteSource): Generator<ZipEntry> {
  for (const { entry } of placedEntries(source)) yield entry;
}

function* placedEntries(source: ByteSource): Generator<{ entry: ZipEntry; offset: number; end: number }> {
  for (const { name, offset, compressedSize } of centralDirectory(source)) {
    const found = localEntry(source, offset, compressedSize, name);
    if (found !== null) yield { entry: found.entry, offset, end: found.end };
  }
}

function* strayEntries(source: ByteSource, covered: [number, number][]): Generator<ZipEntry> {
  const signature = Buffer.from([0x50, 0x4b, 3, 4]);
  let range = 0;
  let skipTo = 0;
  for (let base = 0; base < source.size; base += PIECE) {
    const piece = source.read(base, PIECE + 3);
    for (let at = piece.indexOf(signature); at >= 0 && at < PIECE; at = piece.indexOf(signature, at + 1)) {
      const offset = base + at;
      while (range < covered.length && (covered[range]?.[1] ?? 0) <= offset) range += 1;
      if (offset < skipTo || (covered[range]?.[0] ?? Infinity) <= offset) continue;
      const entry = localEntry(source, offset, null, null);
      if (entry === null) continue;
      if (entry.entry.data.size > 0 && entry.sized) skipTo = entry.end;
      yield entry.entry;
    }
  }
}

interface CentralRecord {
  name: string;
  offset: number;
  compressedSize: number;
}

function* centralDirectory(source: ByteSource): Generator<CentralRecord> {
  const end = endRecord(source);
  if (end === null) return;
  let at = end.start;
  while (at + 46 <= source.size) {
    const fixed = source.read(at, 46);
    if (fixed.length < 46 || fixed.readUInt32LE(0) !== CENTRAL) return;
    const nameLength = fixed.readUInt16LE(28);
    const extraLength = fixed.readUInt16LE(30);
    const variable = source.read(at + 46, nameLength + extraLength);
    let compressedSize = fixed.readUInt32LE(20);
    let offset = fixed.readUInt32LE(42);
    if (compressedSize === 0xffffffff || offset === 0xffffffff || fixed.readUInt32LE(24) === 0xffffffff) {
      const wide = zip64(variable.subarray(nameLength), [fixed.readUInt32LE(24), compressedSize, offset]);
      compressedSize = wide[1] ?? compressedSize;
      offset = wide[2] ?? offset;
    }
    yield { name: variable.toString('utf8', 0, nameLength), offset: offset + end.shift, compressedSize };
    at += 46 + nameLength + extraLength + fixed.readUInt16LE(32);
  }
}

function zip64(extra: Buffer, fields: number[]): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let position = at + 4;
    return fields.map((field) => {
      if (field !== 0xffffffff || position + 8 > extra.length) return field;
      position += 8;
      return Number(extra.readBigUInt64LE(position - 8));
    });
  }
  return fields;
}

/** Finds the end record. `shift` is the number of bytes before the archive that its offsets do not count. */
function endRecord(source: ByteSource): { start: number; shift: number } | null {
  const from = Math.max(0, source.size - 65_557);
  const tail = source.read(from, 65_557);
  for (let at = tail.length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END) continue;
    let size = tail.readUInt32LE(at + 12);
    let offset = tail.readUInt32LE(at + 16);
    let position = from + at;
    if (offset === 0xffffffff || size === 0xffffffff) {
      const wide = source.read(position - 76, 56);
      if (wide.length === 56 && wide.readUInt32LE(0) === 0x06064b50) {
        size = Number(wide.readBigUInt64LE(40));
        offset = Number(wide.readBigUInt64LE(48));
        position -= 76;
      }
    }
    const start = position - size;
    if (start >= 0) return { start, shift: Math.max(0, start - offset) };
  }
  return null;
}

function localEntry(
  source: ByteSource,
  offset: number,
  size: number | null,
  name: string | null,
): { entry: ZipEntry; end: number; sized: boolean } | null {
  const fixed = source.read(offset, 30);
  if (fixed.length < 30 || fixed.readUInt32LE(0) !== LOCAL) return null;
  const nameLength = fixed.readUInt16LE(26);
  const from = offset + 30 + nameLength + fixed.readUInt16LE(28);
  const told = size ?? fixed.readUInt32LE(18);
  const sized = size !== null || (told > 0 && told !== 0xffffffff && (fixed.readUInt16LE(6) & 8) === 0);
  const end = sized ? Math.min(from + told, source.size) : source.size;
  return {
    entry: {
      name: name ?? source.read(offset + 30, nameLength).toString('utf8'),
      method: fixed.readUInt16LE(8),
      encrypted: (fixed.readUInt16LE(6) & 1) !== 0,
      data: sliceSource(source, from, end),
    },
    end,
    sized,
  };
}
