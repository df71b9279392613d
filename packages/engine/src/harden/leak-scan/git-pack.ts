import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';

export interface PackObject {
  /**
   * `commit`, `tree`, `blob` or `tag`; or `delta` when its base is not in the pack, in which case the bytes are the
   * delta's own.
   */
  type: string;
  offset: number;
  bytes: Buffer;
}

const TYPES = ['', 'commit', 'tree', 'blob', 'tag', '', 'ofs-delta', 'ref-delta'];
const MAX_OBJECT = 256 * 1024 * 1024;
const CACHE_BYTES = 64 * 1024 * 1024;

/**
 * Yields the objects of a pack in order, with deltas applied. This is our own code because git would obey the
 * configuration, alternates and index beside the pack, none of which can be trusted, and because bundles and packs
 * inside archives have none of them. Throws when the pack is damaged, after yielding what came before.
 */
export function* packObjects(pack: ByteSource): Generator<PackObject> {
  const header = pack.read(0, 12);
  if (header.length < 12 || header.toString('latin1', 0, 4) !== 'PACK') throw new Error('no pack');
  const count = header.readUInt32BE(8);
  const reader = new PackReader(pack);
  let offset = 12;
  for (let index = 0; index < count; index += 1) {
    const entry = reader.entry(offset);
    const resolved = reader.resolve(entry);
    yield resolved === null
      ? { type: 'delta', offset, bytes: entry.bytes }
      : { type: resolved.type, offset, bytes: resolved.bytes };
    if (resolved !== null) reader.remember(offset, resolved);
    offset = entry.end;
  }
}

interface Entry {
  type: string;
  bytes: Buffer;
  /** Offset or object id of the base of a delta. */
  base: number | string | null;
  end: number;
}

interface Resolved {
  type: string;
  bytes: Buffer;
}

class PackReader {
  readonly #pack: ByteSource;
  readonly #cache = new Map<number, Resolved>();
  readonly #offsets = new Map<string, number>();
  #cached = 0;

  constructor(pack: ByteSource) {
    this.#pack = pack;
  }

  entry(offset: number): Entry {
    const head = this.#pack.read(offset, 64);
    const first = head[0];
    if (first === undefined) throw new Error('the pack ends early');
    const type = TYPES[(first >> 4) & 7] ?? '';
    let size = first & 15;
    let at = 1;
    for (let scale = 16, byte = first; (byte & 0x80) !== 0; scale *= 128, at += 1) {
      byte = head[at] ?? 0;
      size += (byte & 0x7f) * scale;
    }
    if (type === '' || size > MAX_OBJECT)
      throw new Error(type === '' ? 'an unknown kind of object' : `an object of ${size} bytes`);
    const base = deltaBase(type, head, at, offset);
    const from = offset + at + base.length;
    // Deflate never makes data much larger than it was.
    const compressed = this.#pack.read(from, size + (size >> 8) + 512);
    const { bytes, consumed } = inflate(compressed, size);
    return { type, bytes, base: base.base, end: from + consumed };
  }

  resolve(entry: Entry): Resolved | null {
    const chain: Buffer[] = [];
    let at = entry;
    while (at.base !== null) {
      chain.push(at.bytes);
      const offset = typeof at.base === 'number' ? at.base : this.#offsets.get(at.base);
      if (offset === undefined || offset < 12 || chain.length > 4096) return null;
      const cached = this.#cache.get(offset);
      if (cached !== undefined) return { type: cached.type, bytes: applyAll(cached.bytes, chain) };
      at = this.entry(offset);
    }
    return { type: at.type, bytes: applyAll(at.bytes, chain) };
  }

  /** Remembers an object as a base for later deltas, which may name it by its id. */
  remember(offset: number, object: Resolved): void {
    this.#offsets.set(
      createHash('sha1').update(`${object.type} ${object.bytes.length}\0`).update(object.bytes).digest('hex'),
      offset,
    );
    if (object.bytes.length > CACHE_BYTES / 4) return;
    this.#cache.set(offset, object);
    this.#cached += object.bytes.length;
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cached <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cached -= bytes.length;
    }
  }
}

function deltaBase(
  type: string,
  head: Buffer,
  at: number,
  offset: number,
): { base: number | string | null; length: number } {
  if (type === 'ref-delta') return { base: head.toString('hex', at, at + 20), length: 20 };
  if (type !== 'ofs-delta') return { base: null, length: 0 };
  let byte = head[at] ?? 0;
  let distance = byte & 0x7f;
  let length = 1;
  for (; (byte & 0x80) !== 0; length += 1) {
    byte = head[at + length] ?? 0;
    distance = (distance + 1) * 128 + (byte & 0x7f);
  }
  return { base: offset - distance, length };
}

function inflate(compressed: Buffer, size: number): { bytes: Buffer; consumed: number } {
  const result: unknown = inflateSync(compressed, { maxOutputLength: size + 1, info: true });
  if (typeof result !== 'object' || result === null || !('buffer' in result) || !('engine' in result))
    throw new Error('no inflate info');
  const { buffer, engine } = result;
  if (!Buffer.isBuffer(buffer) || typeof engine !== 'object' || engine === null || !('bytesWritten' in engine))
    throw new Error('no inflate info');
  if (buffer.length !== size) throw new Error(`an object has ${buffer.length} bytes instead of ${size}`);
  return { bytes: buffer, consumed: Number(engine.bytesWritten) };
}

/** Applies deltas to a base; `chain` runs from the last delta to the first. */
function applyAll(base: Buffer, chain: Buffer[]): Buffer {
  return chain.reduceRight((bytes, delta) => applyDelta(bytes, delta), base);
}

function applyDelta(base: Buffer, delta: Buffer): Buffer {
  let at = 0;
  const variable = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = delta[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if ((byte & 0x80) === 0) return value;
    }
  };
  variable();
  const size = variable();
  if (size > MAX_OBJECT) throw new Error(`an object of ${size} bytes`);
  const parts: Buffer[] = [];
  let total = 0;
  while (at < delta.length) {
    const code = delta[at++] ?? 0;
    if ((code & 0x80) === 0) {
      parts.push(delta.subarray(at, at + code));
      at += code;
      total += code;
      if (code === 0) throw new Error('a damaged delta');
      continue;
    }
    let from = 0;
    let length = 0;
    for (let bit = 0; bit < 4; bit += 1) if ((code & (1 << bit)) !== 0) from += (delta[at++] ?? 0) * 256 ** bit;
    for (let bit = 0; bit < 3; bit += 1) if ((code & (16 << bit)) !== 0) length += (delta[at++] ?? 0) * 256 ** bit;
    if (length === 0) length = 0x10000;
    total += length;
    if (total > size) throw new Error('a damaged delta');
    parts.push(base.subarray(from, from + length));
  }
  const bytes = Buffer.concat(parts);
  if (bytes.length !== size) throw new Error('a damaged delta');
  return bytes;
}
