import * as dagPb from '@ipld/dag-pb';
import type { CID } from 'multiformats/cid';
import { DAG_PB, RAW, contentIdOf } from '../content-id.ts';
import { IMPORT_PARAMETERS, type CidVersion } from './import-parameters.ts';
import { UNIXFS, encodeUnixfs } from './unixfs-data.ts';

/** Takes a finished block. */
export type EmitBlock = (cid: CID, bytes: Uint8Array) => Promise<void>;

/** A finished node: the file or directory below it, or a part of a file. */
export interface Imported {
  cid: CID;
  /** Size of the content, in bytes. */
  size: number;
  /** Size of this block and all below it, repeated ones counted each time: the `Tsize` of a link. */
  treeBytes: number;
}

/**
 * Cuts a file into blocks, holding one chunk and a list of links in memory. `source` may come in pieces of any length.
 */
export async function importFile(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  version: CidVersion,
  emit: EmitBlock,
): Promise<Imported> {
  const leaves: Imported[] = [];
  for await (const chunk of chunksOf(source)) leaves.push(await importLeaf(chunk, version, emit));
  if (leaves.length === 0) return importLeaf(new Uint8Array(), version, emit);
  let level = leaves;
  while (level.length > 1) {
    const parents: Imported[] = [];
    for (let start = 0; start < level.length; start += IMPORT_PARAMETERS.maxLinks) {
      parents.push(await importParent(level.slice(start, start + IMPORT_PARAMETERS.maxLinks), version, emit));
    }
    level = parents;
  }
  return level[0] ?? importLeaf(new Uint8Array(), version, emit);
}

async function importLeaf(data: Uint8Array, version: CidVersion, emit: EmitBlock): Promise<Imported> {
  if (!IMPORT_PARAMETERS.rawLeaves[version]) {
    const node = { data: encodeUnixfs(UNIXFS.file, { data, fileSize: data.length }), links: [], size: data.length };
    return emitNode(node, version, emit);
  }
  const cid = contentIdOf(data, RAW, version);
  await emit(cid, data);
  return { cid, size: data.length, treeBytes: data.length };
}

function importParent(children: Imported[], version: CidVersion, emit: EmitBlock): Promise<Imported> {
  const blockSizes = children.map(({ size }) => size);
  const size = blockSizes.reduce((sum, part) => sum + part, 0);
  const links = children.map((child) => ({ name: '', child }));
  return emitNode({ data: encodeUnixfs(UNIXFS.file, { fileSize: size, blockSizes }), links, size }, version, emit);
}

/** A dag-pb node: its encoded data, its links in their final order, and the size of the content below it. */
export interface UnixfsDraft {
  data: Uint8Array;
  links: readonly { name: string; child: Imported }[];
  size: number;
}

/** Encodes a node and hands it over. */
export async function emitNode(
  { data, links, size }: UnixfsDraft,
  version: CidVersion,
  emit: EmitBlock,
): Promise<Imported> {
  const bytes = dagPb.encode({
    Data: data,
    Links: links.map(({ name, child }) => ({ Name: name, Hash: child.cid, Tsize: child.treeBytes })),
  });
  const cid = contentIdOf(bytes, DAG_PB, version);
  await emit(cid, bytes);
  return { cid, size, treeBytes: links.reduce((sum, { child }) => sum + child.treeBytes, bytes.length) };
}

async function* chunksOf(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { chunkBytes } = IMPORT_PARAMETERS;
  let chunk = Buffer.allocUnsafe(chunkBytes);
  let filled = 0;
  for await (const piece of source) {
    for (let at = 0; at < piece.length;) {
      const count = Math.min(chunkBytes - filled, piece.length - at);
      chunk.set(piece.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}
