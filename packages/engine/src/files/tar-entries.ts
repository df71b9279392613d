import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Header, Pax } from 'tar';

const BLOCK = 512;
const MAX_PAX_BYTES = 64 * 1024;

/** One member of an archive, as it calls itself: nothing of it is checked but the checksum of its header. */
export interface TarEntry {
  path: string;
  /** node-tar's names: `File`, `Directory`, `SymbolicLink`, `Link`, `CharacterDevice`… */
  type: string;
  linkTarget: string;
  mode: number;
  size: number;
  /** The content, piece by piece; what is not taken is passed over. */
  content(): AsyncGenerator<Buffer>;
}

/** The members of a gzipped tar, one after the other. Throws a plain `Error` on a damaged archive. */
export async function* readTarEntries(tarGzPath: string): AsyncGenerator<TarEntry> {
  const file = createReadStream(tarGzPath, { highWaterMark: 256 * 1024 });
  const unzipped = createGunzip({ chunkSize: 256 * 1024 });
  // Errors of either arrive where the bytes are read.
  pipeline(file, unzipped, () => {});
  const reader = new BlockReader(unzipped);
  try {
    let pax: Pax | undefined;
    for (let block = await reader.take(BLOCK); block.some((byte) => byte !== 0); block = await reader.take(BLOCK)) {
      const header = new Header(block, 0, pax);
      if (!header.cksumValid) throw new Error('a header does not match its checksum');
      const size = checkedSize(header.size);
      if (header.type === 'ExtendedHeader' || header.type === 'GlobalExtendedHeader') {
        if (size > MAX_PAX_BYTES) throw new Error('an extended header is too long');
        const text = (await reader.take(padded(size))).toString('utf8', 0, size);
        if (header.type === 'ExtendedHeader') pax = Pax.parse(text);
        continue;
      }
      pax = undefined;
      const body = { left: size };
      yield { path: header.path ?? '', type: header.type, linkTarget: header.linkpath ?? '', mode: header.mode ?? 0, size, content: () => reader.pieces(body) };
      for await (const _ of reader.pieces(body));
      await reader.take(padded(size) - size);
    }
  } finally {
    file.destroy();
    unzipped.destroy();
  }
}

function checkedSize(size: number | undefined): number {
  if (size === undefined || !Number.isSafeInteger(size) || size < 0) throw new Error('a member has no proper size');
  return size;
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** Takes bytes off a stream as they are wanted. */
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
