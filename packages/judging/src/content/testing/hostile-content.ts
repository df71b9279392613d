import * as dagPb from '@ipld/dag-pb';
import type { CID } from 'multiformats/cid';
import { DAG_PB, RAW, contentIdOf } from '../content-id.ts';
import { UNIXFS, encodeUnixfs } from '../unixfs/unixfs-data.ts';

/** Takes a block as a source would hold it. */
export type Plant = (cid: CID, bytes: Uint8Array) => Promise<void>;

interface Link {
  cid: CID;
  name?: string;
}

/** Makes blocks that all match their CIDs, whatever they claim. */
export class BlockMaker {
  readonly #plant: Plant;

  constructor(plant: Plant) {
    this.#plant = plant;
  }

  async raw(bytes: Uint8Array): Promise<CID> {
    return this.#add(bytes, RAW);
  }

  /** A dag-pb node with these links and this `Data`. */
  async node(data: Uint8Array | null, links: Link[] = []): Promise<CID> {
    const Links = links.map(({ cid, name }) => ({ Hash: cid, Name: name ?? '', Tsize: 1 }));
    return this.#add(dagPb.encode(data === null ? { Links } : { Data: data, Links }), DAG_PB);
  }

  async file(
    blockSizes: number[],
    links: Link[],
    fileSize = blockSizes.reduce((sum, size) => sum + size, 0),
  ): Promise<CID> {
    return this.node(encodeUnixfs(UNIXFS.file, { fileSize, blockSizes }), links);
  }

  async directory(links: Link[]): Promise<CID> {
    return this.node(encodeUnixfs(UNIXFS.directory), links);
  }

  async bytes(bytes: Uint8Array): Promise<CID> {
    return this.#add(bytes, DAG_PB);
  }

  async #add(bytes: Uint8Array, codec: number): Promise<CID> {
    const cid = contentIdOf(bytes, codec, 1);
    await this.#plant(cid, bytes);
    return cid;
  }
}

export interface HostileFile {
  name: string;
  code: 'CONTENT_UNSUPPORTED' | 'CONTENT_TOO_LARGE' | 'CONTENT_NOT_FOUND';
  make: (blocks: BlockMaker) => Promise<CID>;
}

/** Limit for `get` of {@link HOSTILE_FILES}, in bytes. */
export const HOSTILE_LIMIT = 1024 * 1024;

const part = (blocks: BlockMaker): Promise<CID> => blocks.raw(Buffer.from('part'));

/** Files whose blocks are what their CIDs say, and whose structure is an attack or a lie. */
export const HOSTILE_FILES: HostileFile[] = [
  {
    name: 'no protobuf',
    code: 'CONTENT_UNSUPPORTED',
    make: (blocks) => blocks.bytes(Buffer.from('this is no protobuf')),
  },
  { name: 'no UnixFS', code: 'CONTENT_UNSUPPORTED', make: (blocks) => blocks.node(Buffer.from('neither is this')) },
  { name: 'a node without data', code: 'CONTENT_UNSUPPORTED', make: (blocks) => blocks.node(null) },
  { name: 'an unknown type', code: 'CONTENT_UNSUPPORTED', make: (blocks) => blocks.node(encodeUnixfs(9)) },
  {
    name: 'a symbolic link',
    code: 'CONTENT_UNSUPPORTED',
    make: (blocks) => blocks.node(encodeUnixfs(UNIXFS.symlink, { data: Buffer.from('/etc/passwd') })),
  },
  {
    name: 'a sharded directory',
    code: 'CONTENT_UNSUPPORTED',
    make: (blocks) => blocks.node(encodeUnixfs(UNIXFS.shard)),
  },
  {
    name: 'a length that leads out of the message',
    code: 'CONTENT_UNSUPPORTED',
    make: (blocks) => blocks.node(Buffer.from([8, 2, 18, 255, 255, 255, 255, 15])),
  },
  {
    name: 'a number that never ends',
    code: 'CONTENT_UNSUPPORTED',
    make: (blocks) => blocks.node(Buffer.alloc(64, 0xff)),
  },
  {
    name: 'a file size that is too small',
    code: 'CONTENT_UNSUPPORTED',
    make: async (blocks) => blocks.file([4], [{ cid: await part(blocks) }], 1),
  },
  {
    name: 'a part that is longer than it says',
    code: 'CONTENT_UNSUPPORTED',
    make: async (blocks) => blocks.file([1], [{ cid: await blocks.raw(Buffer.alloc(100_000)) }]),
  },
  {
    name: 'a part that is shorter than it says',
    code: 'CONTENT_UNSUPPORTED',
    make: async (blocks) => blocks.file([5], [{ cid: await part(blocks) }]),
  },
  {
    name: 'fewer sizes than parts',
    code: 'CONTENT_UNSUPPORTED',
    make: async (blocks) => blocks.file([4], [{ cid: await part(blocks) }, { cid: await part(blocks) }]),
  },
  {
    name: 'a directory as a part',
    code: 'CONTENT_UNSUPPORTED',
    make: async (blocks) => blocks.file([4], [{ cid: await blocks.directory([]) }]),
  },
  { name: 'parts without bytes', code: 'CONTENT_UNSUPPORTED', make: fanOutOfNothing },
  { name: 'nested too deep', code: 'CONTENT_UNSUPPORTED', make: (blocks) => chain(blocks, 40) },
  { name: 'nodes that weigh more than they hold', code: 'CONTENT_UNSUPPORTED', make: heavyNodes },
  {
    name: 'a hundred thousand parts of a few bytes',
    code: 'CONTENT_UNSUPPORTED',
    make: (blocks) => repetition(blocks, 50, 3),
  },
  {
    name: 'one part ten thousand million times',
    code: 'CONTENT_TOO_LARGE',
    make: (blocks) => repetition(blocks, 100, 5),
  },
  {
    name: 'a size beyond all numbers',
    code: 'CONTENT_UNSUPPORTED',
    make: async (blocks) => blocks.file(times(3, 2 ** 52), times(3, { cid: await part(blocks) }), 3),
  },
  {
    name: 'a node of more than two MiB',
    code: 'CONTENT_TOO_LARGE',
    make: (blocks) => blocks.node(encodeUnixfs(UNIXFS.file, { data: Buffer.alloc(2_200_000), fileSize: 2_200_000 })),
  },
  {
    name: 'a raw block over the limit',
    code: 'CONTENT_TOO_LARGE',
    make: (blocks) => blocks.raw(Buffer.alloc(HOSTILE_LIMIT + 1)),
  },
];

/** The same shapes, honest: what shows that it is the lie that is refused. */
export const HONEST_FILES: { name: string; size: number; make: (blocks: BlockMaker) => Promise<CID> }[] = [
  {
    name: 'two parts',
    size: 8,
    make: async (blocks) => blocks.file([4, 4], [{ cid: await part(blocks) }, { cid: await part(blocks) }]),
  },
  { name: 'nested less deep', size: 4, make: (blocks) => chain(blocks, 20) },
  { name: 'one part sixteen hundred times', size: 6400, make: (blocks) => repetition(blocks, 40, 2) },
  {
    name: 'data and a part in one node',
    size: 7,
    make: async (blocks) =>
      blocks.node(encodeUnixfs(UNIXFS.file, { data: Buffer.from('abc'), fileSize: 7, blockSizes: [4] }), [
        { cid: await part(blocks) },
      ]),
  },
  {
    name: 'the type raw',
    size: 3,
    make: (blocks) => blocks.node(encodeUnixfs(UNIXFS.raw, { data: Buffer.from('abc'), fileSize: 3 })),
  },
  { name: 'a raw block at the limit', size: HOSTILE_LIMIT, make: (blocks) => blocks.raw(Buffer.alloc(HOSTILE_LIMIT)) },
];

/** Names that may not be written to a host. */
export const HOSTILE_NAMES = [
  '..',
  '.',
  '',
  '.git',
  'a/b',
  '/etc',
  '../../etc/passwd',
  '..\\x',
  'nul\0',
  'n'.repeat(300),
];

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

async function fanOutOfNothing(blocks: BlockMaker): Promise<CID> {
  let cid = await blocks.raw(Buffer.alloc(0));
  for (let level = 0; level < 5; level += 1) cid = await blocks.file(times(100, 0), times(100, { cid }));
  return cid;
}

async function chain(blocks: BlockMaker, depth: number): Promise<CID> {
  let cid = await part(blocks);
  for (let level = 0; level < depth; level += 1) cid = await blocks.file([4], [{ cid }]);
  return cid;
}

async function repetition(blocks: BlockMaker, fanOut: number, levels: number): Promise<CID> {
  let cid = await part(blocks);
  for (let level = 0, size = 4; level < levels; level += 1, size *= fanOut)
    cid = await blocks.file(times(fanOut, size), times(fanOut, { cid }));
  return cid;
}

/** Each node holds one part of one byte and a name of 1.9 MB for it. */
async function heavyNodes(blocks: BlockMaker): Promise<CID> {
  const parts: CID[] = [];
  for (let index = 0; index < 6; index += 1)
    parts.push(await blocks.file([1], [{ cid: await blocks.raw(Buffer.from([index])), name: 'n'.repeat(1_900_000) }]));
  return blocks.file(
    parts.map(() => 1),
    parts.map((cid) => ({ cid })),
  );
}
