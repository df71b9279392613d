import { crc32, inflateRawSync } from 'node:zlib';
import { AssayError } from '@assay/protocol';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const END_SIZE = 22;
const MAX_COMMENT = 0xffff;
const MAX_ENTRY_BYTES = 1024 * 1024 * 1024;

export interface ZipEntry {
  name: string;
  /** Reads the content and compares its length and checksum with the directory's. Throws `LANE_FAILED`. */
  read(): Buffer;
}

/**
 * The entries of a zip archive, by its central directory. Neither encryption nor zip64, which wheels do not use. Throws
 * `LANE_FAILED`.
 */
export function readZip(archive: Buffer): ZipEntry[] {
  try {
    return readDirectory(archive);
  } catch (error) {
    if (error instanceof RangeError) throw broken('it ends too early');
    throw error;
  }
}

function readDirectory(archive: Buffer): ZipEntry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  let offset = archive.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(offset) !== DIRECTORY_ENTRY) throw broken('its directory is damaged');
    const nameLength = archive.readUInt16LE(offset + 28);
    const name = archive.toString('utf8', offset + 46, offset + 46 + nameLength);
    const entry = {
      flags: archive.readUInt16LE(offset + 8),
      method: archive.readUInt16LE(offset + 10),
      checksum: archive.readUInt32LE(offset + 16),
      packedSize: archive.readUInt32LE(offset + 20),
      size: archive.readUInt32LE(offset + 24),
      start: archive.readUInt32LE(offset + 42),
    };
    entries.push({ name, read: () => readEntry(archive, entry) });
    offset += 46 + nameLength + archive.readUInt16LE(offset + 30) + archive.readUInt16LE(offset + 32);
  }
  return entries;
}

function findEnd(archive: Buffer): number {
  for (
    let offset = archive.length - END_SIZE;
    offset >= Math.max(0, archive.length - END_SIZE - MAX_COMMENT);
    offset -= 1
  ) {
    if (archive.readUInt32LE(offset) === END_OF_DIRECTORY) return offset;
  }
  throw broken('it is no zip archive');
}

interface Stored {
  flags: number;
  method: number;
  checksum: number;
  packedSize: number;
  size: number;
  start: number;
}

function readEntry(archive: Buffer, entry: Stored): Buffer {
  if ((entry.flags & 1) !== 0 || entry.size > MAX_ENTRY_BYTES) throw broken('an entry is encrypted or too large');
  if (entry.start + 30 > archive.length || archive.readUInt32LE(entry.start) !== LOCAL_ENTRY)
    throw broken('an entry is missing');
  const start = entry.start + 30 + archive.readUInt16LE(entry.start + 26) + archive.readUInt16LE(entry.start + 28);
  const packed = archive.subarray(start, start + entry.packedSize);
  const content = entry.method === 0 ? packed : inflate(packed, entry);
  if (content.length !== entry.size || crc32(content) !== entry.checksum) throw broken('an entry is damaged');
  return content;
}

function inflate(packed: Buffer, entry: Stored): Buffer {
  if (entry.method !== 8) throw broken(`compression method ${entry.method}`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) });
  } catch {
    throw broken('an entry is damaged');
  }
}

const broken = (detail: string): AssayError =>
  new AssayError('LANE_FAILED', { lane: 'pypi', detail: `a wheel is refused: ${detail}` });
