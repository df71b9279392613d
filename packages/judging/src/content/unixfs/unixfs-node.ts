import * as dagPb from '@ipld/dag-pb';
import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import { DAG_PB, RAW, assertSupported } from '../content-id.ts';
import { UNIXFS, decodeUnixfs, type UnixfsData } from './unixfs-data.ts';

/** A decoded block: a file, a part of one, or a directory. */
export type UnixfsNode = FileNode | DirectoryNode;

export interface FileNode {
  kind: 'file';
  /** Bytes that come before those of the children. */
  data: Uint8Array;
  /** Each gives `size` bytes. */
  children: { cid: CID; size: number }[];
  /** As the node says: `data` and all children. */
  size: number;
}

export interface DirectoryNode {
  kind: 'directory';
  /** Names are unique but otherwise unchecked. */
  entries: { name: string; cid: CID }[];
}

/**
 * Decodes a verified block. Throws `CONTENT_UNSUPPORTED` for sharded directories, links and other kinds, and for nodes
 * whose own figures contradict each other.
 */
export function readNode(cid: CID, bytes: Uint8Array): UnixfsNode {
  if (cid.code === RAW) return { kind: 'file', data: bytes, children: [], size: bytes.length };
  if (cid.code !== DAG_PB) assertSupported(cid);
  const node = attempt(cid, () => dagPb.decode(bytes));
  const content = node.Data;
  if (content === undefined) throw unsupported(cid, 'it is a dag-pb node that is no UnixFS');
  const message = attempt(cid, () => decodeUnixfs(content));
  for (const link of node.Links) assertSupported(link.Hash);
  if (message.type === UNIXFS.directory) return readDirectory(cid, node.Links);
  if (message.type === UNIXFS.file || message.type === UNIXFS.raw) return readFile(cid, message, node.Links);
  throw unsupported(cid, UNREAD[message.type] ?? `its UnixFS type ${message.type} is unknown`);
}

/** Makes the error for content that matches its CID but that Assay does not read. */
export function unsupported(cid: CID, detail: string, options?: ErrorOptions): AssayError {
  return new AssayError('CONTENT_UNSUPPORTED', { cid: cid.toString(), detail }, options);
}

const UNREAD: Record<number, string> = {
  [UNIXFS.metadata]: 'it is a UnixFS metadata node, which Assay does not read',
  [UNIXFS.symlink]: 'it is a symbolic link, which Assay does not follow',
  [UNIXFS.shard]: 'it is a sharded directory (HAMT), which Assay does not read; add a directory with fewer entries',
};

function readFile(cid: CID, message: UnixfsData, links: readonly dagPb.PBLink[]): FileNode {
  if (message.blockSizes.length !== links.length)
    throw unsupported(cid, `it has ${links.length} parts and the sizes of ${message.blockSizes.length}`);
  const children = links.map(({ Hash }, index) => ({ cid: Hash, size: message.blockSizes[index] ?? 0 }));
  const size = children.reduce((sum, child) => sum + child.size, message.data.length);
  if (!Number.isSafeInteger(size)) throw unsupported(cid, 'its size is beyond 2^53 bytes');
  if (message.fileSize !== null && message.fileSize !== size)
    throw unsupported(cid, `it says ${message.fileSize} bytes and its parts make ${size}`);
  return { kind: 'file', data: message.data, children, size };
}

function readDirectory(cid: CID, links: readonly dagPb.PBLink[]): DirectoryNode {
  const entries = links.map(({ Name, Hash }) => ({ name: Name ?? '', cid: Hash }));
  if (new Set(entries.map(({ name }) => name)).size !== entries.length)
    throw unsupported(cid, 'it is a directory with two entries of one name');
  return { kind: 'directory', entries };
}

function attempt<T>(cid: CID, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw unsupported(cid, `it is malformed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
