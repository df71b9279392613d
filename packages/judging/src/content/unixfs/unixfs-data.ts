import { varint as protobuf } from 'multiformats';

/** Values of `Type` in the UnixFS message. */
export const UNIXFS = { raw: 0, directory: 1, file: 2, metadata: 3, symlink: 4, shard: 5 } as const;

/** The `Data` of a dag-pb node. */
export interface UnixfsData {
  type: number;
  data: Uint8Array;
  /** Null where the message has none. */
  fileSize: number | null;
  /** Bytes of content below each child. */
  blockSizes: number[];
}

const FIELD = { type: 1, data: 2, fileSize: 3, blockSizes: 4, hashType: 5, fanout: 6, mode: 7, mtime: 8 } as const;
const VARINT = 0;
const BYTES = 2;

/** The protobuf message, fields in the order of their numbers; an absent field is left out. */
export function encodeUnixfs(
  type: number,
  options: { data?: Uint8Array; fileSize?: number; blockSizes?: number[] } = {},
): Uint8Array {
  const parts = [varintField(FIELD.type, type)];
  // Kubo leaves empty data out, not the field with no bytes in it.
  if (options.data !== undefined && options.data.length > 0)
    parts.push(varint((FIELD.data << 3) | BYTES), varint(options.data.length), options.data);
  if (options.fileSize !== undefined) parts.push(varintField(FIELD.fileSize, options.fileSize));
  for (const size of options.blockSizes ?? []) parts.push(varintField(FIELD.blockSizes, size));
  return Buffer.concat(parts);
}

/** Reads a message of foreign origin. Throws `Error` with the reason for anything that no UnixFS writer makes. */
export function decodeUnixfs(bytes: Uint8Array): UnixfsData {
  const message: UnixfsData = { type: -1, data: new Uint8Array(), fileSize: null, blockSizes: [] };
  const reader = new Reader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    const field = Math.floor(tag / 8);
    const wire = tag % 8;
    if (field === FIELD.blockSizes && wire === BYTES) {
      const packed = new Reader(reader.bytes());
      while (!packed.done) message.blockSizes.push(packed.varint());
      continue;
    }
    if (wire === VARINT) assignNumber(message, field, reader.varint());
    else if (wire === BYTES && field === FIELD.data) message.data = reader.bytes();
    else if (wire === BYTES && field === FIELD.mtime) reader.bytes();
    else throw new Error(`a UnixFS field ${field} of wire type ${wire}`);
  }
  if (message.type < 0) throw new Error('a UnixFS message without a type');
  return message;
}

function assignNumber(message: UnixfsData, field: number, value: number): void {
  if (field === FIELD.type) message.type = value;
  else if (field === FIELD.fileSize) message.fileSize = value;
  else if (field === FIELD.blockSizes) message.blockSizes.push(value);
  else if (field !== FIELD.hashType && field !== FIELD.fanout && field !== FIELD.mode)
    throw new Error(`an unknown UnixFS field ${field}`);
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): number {
    if (this.done) throw new Error('a UnixFS message that ends early');
    const [value, length] = protobuf.decode(this.#bytes, this.#at);
    if (!Number.isSafeInteger(value) || value < 0) throw new Error('a number beyond 2^53');
    this.#at += length;
    return value;
  }

  bytes(): Uint8Array {
    const end = this.varint() + this.#at;
    if (end > this.#bytes.length) throw new Error('a UnixFS message that ends early');
    const found = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return found;
  }
}

function varintField(field: number, value: number): Uint8Array {
  return Buffer.concat([varint((field << 3) | VARINT), varint(value)]);
}

function varint(value: number): Uint8Array {
  return protobuf.encodeTo(value, new Uint8Array(protobuf.encodingLength(value)));
}
