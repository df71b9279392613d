import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Header } from 'tar';
import { decodeUtf8 } from './walk-tree.ts';

const BLOCK = 512;
const MAX_PAX_BYTES = 64 * 1024;

/** One member of an archive. Its fields are unchecked, except for the checksum of the header. */
export interface TarEntry {
  path: string;
  /** node-tar's names: `File`, `Directory`, `SymbolicLink`, `Link`, `CharacterDevice`… */
  type: string;
  linkTarget: string;
  mode: number;
  size: number;
  /** The content, piece by piece. Unread pieces are skipped. */
  content(): AsyncGenerator<Buffer>;
}

/** Yields the members of a gzipped tar. Throws a plain `Error` on a damaged archive. */
export async function* readTarEntries(tarGzPath: string): AsyncGenerator<TarEntry> {
  const file = createReadStream(tarGzPath, { highWaterMark: 256 * 1024 });
  const unzipped = createGunzip({ chunkSize: 256 * 1024 });
  // Errors of either arrive where the bytes are read.
  pipeline(file, unzipped, () => {});
  const reader = new BlockReader(unzipped);
  try {
    let extended = new Map<string, string>();
    for (let block = await reader.take(BLOCK); block.some((byte) => byte !== 0); block = await reader.take(BLOCK)) {
      const header = new Header(block);
      if (!header.cksumValid) throw new Error('a header does not match its checksum');
      const size = checkedSize(header.size);
      if (header.type === 'ExtendedHeader' || header.type === 'GlobalExtendedHeader') {
        if (size > MAX_PAX_BYTES) throw new Error('an extended header is too long');
        const records = parseExtended((await reader.take(padded(size))).subarray(0, size));
        if (header.type === 'ExtendedHeader') extended = records;
        continue;
      }
      if (extended.has('size') && Number(extended.get('size')) !== size) throw new Error('a member has two sizes');
      const body = { left: size };
      yield {
        path: extended.get('path') ?? header.path ?? '',
        linkTarget: extended.get('linkpath') ?? header.linkpath ?? '',
        type: header.type,
        mode: header.mode ?? 0,
        size,
        content: () => reader.pieces(body),
      };
      extended = new Map();
      for await (const _ of reader.pieces(body));
      await reader.take(padded(size) - size);
    }
  } finally {
    file.destroy();
    unzipped.destroy();
  }
}

/**
 * Records of an extended header: `<length> <key>=<value>\n`, the length counting itself. Values keep every byte, NUL
 * and newline too.
 */
function parseExtended(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < bytes.length;) {
    const blank = bytes.indexOf(0x20, start);
    const end = start + Number(bytes.toString('latin1', start, blank));
    if (blank === -1 || !(end > blank + 1) || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw new Error('an extended header is malformed');
    const record = decodeUtf8(bytes.subarray(blank + 1, end - 1));
    const equals = record?.indexOf('=') ?? -1;
    if (record === null || equals === -1) throw new Error('an extended header is malformed');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    start = end;
  }
  return records;
}

function checkedSize(size: number | undefined): number {
  if (size === undefined || !Number.isSafeInteger(size) || size < 0) throw new Error('a member has no proper size');
  return size;
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** Reads a stream in pieces of any requested size. */
class BlockReader {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: Gunzip) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const piece of this.pieces({ left: count })) parts.push(piece);
    const [only] = parts;
    return parts.length === 1 && only ? only : Buffer.concat(parts);
  }

  async *pieces(body: { left: number }): AsyncGenerator<Buffer> {
    while (body.left > 0) {
      if (this.#held.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) throw new Error('it ends early');
        this.#held = next.value;
      }
      const piece = this.#held.subarray(0, body.left);
      this.#held = this.#held.subarray(piece.length);
      body.left -= piece.length;
      yield piece;
    }
  }
}
