import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import { readNode, unsupported, type DirectoryNode, type FileNode, type UnixfsNode } from './unixfs-node.ts';

/** Deepest nesting of nodes. With 174 children each, fewer levels reach exabytes. */
const MAX_DEPTH = 32;
/** Blocks of one node that are fetched at a time, to hide a gateway's latency. */
const READ_AHEAD = 4;
/** Allowance for nodes beyond their content, as a share of it and in bytes: a link takes some 50 bytes. */
const OVERHEAD_RATIO = 0.25;
const OVERHEAD_BYTES = 4 * 1024 * 1024;
/** Smallest size that a part of a file is charged with: a file in parts of one byte would cost millions of reads. */
const LEAST_PART_BYTES = 1024;

/** Gets one verified block of at most so many bytes. */
export type ReadBlock = (cid: CID, maxBytes: number) => Promise<Uint8Array>;

/**
 * Limits one `get`, however its blocks are linked: the bytes of its result, and the bytes read for it. A block that is
 * linked a thousand times counts a thousand times.
 */
export class Budget {
  readonly maxBytes: number;
  #output: number;
  #input: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
    this.#output = maxBytes;
    this.#input = Math.ceil(maxBytes * (1 + OVERHEAD_RATIO)) + OVERHEAD_BYTES;
  }

  get outputLeft(): number {
    return this.#output;
  }

  takeOutput(bytes: number, root: CID): void {
    this.#output -= bytes;
    if (this.#output < 0)
      throw new AssayError('CONTENT_TOO_LARGE', { reference: root.toString(), limit: this.maxBytes });
  }

  takeInput(bytes: number, root: CID): void {
    this.#input -= bytes;
    if (this.#input < 0)
      throw unsupported(root, `it is made of far more blocks than ${this.maxBytes} bytes of content need`);
  }
}

/** Reads blocks, decodes them and charges them to the budget. */
export class NodeReader {
  readonly #readBlock: ReadBlock;
  readonly budget: Budget;

  constructor(readBlock: ReadBlock, budget: Budget) {
    this.#readBlock = readBlock;
    this.budget = budget;
  }

  async node(cid: CID, maxBytes = this.budget.outputLeft): Promise<UnixfsNode> {
    const bytes = await this.#readBlock(cid, maxBytes);
    this.budget.takeInput(bytes.length, cid);
    return readNode(cid, bytes);
  }

  /**
   * The content of a file, in order. Fails before the first byte when the file says that it is too large, and later
   * when it lied.
   */
  async *file(root: CID, node: FileNode): AsyncGenerator<Uint8Array> {
    this.budget.takeOutput(node.size, root);
    yield* this.#parts(root, node, 0);
  }

  async *#parts(root: CID, node: FileNode, depth: number): AsyncGenerator<Uint8Array> {
    if (depth > MAX_DEPTH) throw unsupported(root, `its blocks are nested more than ${MAX_DEPTH} deep`);
    if (node.data.length > 0) yield node.data;
    const ahead: Promise<UnixfsNode>[] = [];
    for (const [index, { size }] of node.children.entries()) {
      for (const { cid } of node.children.slice(index + ahead.length, index + READ_AHEAD)) {
        const coming = this.node(cid, this.budget.maxBytes);
        // Each is awaited in its turn, and an earlier one may fail first.
        coming.catch(() => {});
        ahead.push(coming);
      }
      const child = await ahead.shift();
      if (child === undefined) break;
      if (child.kind !== 'file') throw unsupported(root, 'a part of it is a directory');
      this.budget.takeInput(Math.max(0, LEAST_PART_BYTES - size), root);
      if (child.size !== size) throw unsupported(root, `a part of it says ${size} bytes and has ${child.size}`);
      yield* this.#parts(root, child, depth + 1);
    }
  }
}

/**
 * Follows the names of a path (`a/b`; empty for the root itself). Throws `CONTENT_NOT_FOUND` where a directory lacks
 * one.
 */
export async function resolvePath(
  root: CID,
  path: string,
  reader: NodeReader,
): Promise<{ cid: CID; node: UnixfsNode }> {
  let found: { cid: CID; node: UnixfsNode } = { cid: root, node: await reader.node(root) };
  for (const name of path.split('/').filter((part) => part !== '')) {
    const cid = found.node.kind === 'directory' ? entryOf(found.node, name) : undefined;
    if (cid === undefined)
      throw new AssayError('CONTENT_NOT_FOUND', {
        cid: JSON.stringify(path),
        places: `the directory ${root.toString()}`,
      });
    found = { cid, node: await reader.node(cid) };
  }
  return found;
}

function entryOf(directory: DirectoryNode, name: string): CID | undefined {
  return directory.entries.find((entry) => entry.name === name)?.cid;
}
