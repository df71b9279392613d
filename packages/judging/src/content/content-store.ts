import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import type { BlockKeeper, BlockSource } from './block-source.ts';
import { parseContentId } from './content-id.ts';
import { withDeadline } from './deadline.ts';
import { BlockReader, type SourceFault } from './read-blocks.ts';
import { exportDirectory, type ExportedTree } from './unixfs/export-directory.ts';
import { importDirectory, importHostFile } from './unixfs/import-directory.ts';
import { importFile, type EmitBlock, type Imported } from './unixfs/import-file.ts';
import { Budget, NodeReader, resolvePath } from './unixfs/read-file.ts';
import { unsupported } from './unixfs/unixfs-node.ts';

const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_ENTRIES = 10_000;

/** Bytes, a regular file of the host, or a directory with all that is in it. */
export type ContentSource = Uint8Array | { file: string } | { directory: string };

export interface PutOptions {
  /**
   * Default 1. The CID is that of `ipfs add --cid-version=1` or `ipfs add --cid-version=0` (with `-r -H` for a
   * directory).
   */
  cidVersion?: 0 | 1;
  /** For each block and for the pin at the end. Default 60 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface StoredContent {
  cid: string;
  /** Size of the content, in bytes. */
  size: number;
}

export interface GetOptions {
  /** More content than this raises `CONTENT_TOO_LARGE`. Default 10 MiB. */
  maxBytes?: number | undefined;
  /** For everything. Default 60 s. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Path below a directory's CID, such as `src/main.ts`. */
  path?: string | undefined;
}

export interface ExportOptions extends GetOptions {
  /** Files and directories. Default 10,000. */
  maxEntries?: number;
}

/**
 * Content by CID. Whatever comes out was checked against the CID block by block, wherever it came from. Errors:
 * `CONTENT_REFERENCE_INVALID` (no CID), `CONTENT_NOT_FOUND`, `CONTENT_CORRUPT`, `CONTENT_TOO_LARGE`,
 * `CONTENT_UNREACHABLE`, and `CONTENT_UNSUPPORTED` for codecs, hashes and shapes that are not read, hostile ones among
 * them.
 */
export interface ContentStore {
  put(source: ContentSource, options?: PutOptions): Promise<StoredContent>;
  /** Reads a file. */
  get(cid: string, options?: GetOptions): Promise<Buffer>;
  /** Writes a directory into an empty one of the host; a name that is not safe raises `UNSAFE_PATH`. */
  exportDirectory(cid: string, directory: string, options?: ExportOptions): Promise<ExportedTree>;
  /** Returns whether the first block of the CID is available and intact. */
  has(cid: string, options?: Pick<GetOptions, 'timeoutMs' | 'signal'>): Promise<boolean>;
}

export interface ContentStoreOptions {
  /** Sources of blocks, in order of use. */
  sources: readonly BlockSource[];
  /** Keepers of blocks. `put` stores all blocks with each of them. */
  keepers: readonly BlockKeeper[];
  /** One of the sources: gets the blocks that others had. */
  fill?: BlockKeeper | undefined;
  onFault?: ((fault: SourceFault) => void) | undefined;
  hint?: string | undefined;
  patienceMs?: number | undefined;
}

export function createContentStore(options: ContentStoreOptions): ContentStore {
  const reader = new BlockReader(options);

  async function within<T>(get: GetOptions, cid: CID, run: (nodes: NodeReader) => Promise<T>): Promise<T> {
    const { maxBytes = DEFAULT_MAX_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS } = get;
    return withDeadline({ signal: get.signal, timeoutMs, reference: cid.toString() }, (signal) =>
      run(new NodeReader((wanted, limit) => reader.read(wanted, { maxBytes: limit, signal }), new Budget(maxBytes))),
    );
  }

  return {
    async put(source, put = {}) {
      if (options.keepers.length === 0)
        throw new AssayError('BAD_OPTION', {
          option: 'content store',
          detail: 'gateways only read; name a directory or a Kubo node',
        });
      const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = put;
      const each = async (
        run: (keeper: BlockKeeper, signal: AbortSignal) => Promise<void> | undefined,
      ): Promise<void> => {
        for (const keeper of options.keepers)
          await withDeadline({ signal, timeoutMs, reference: keeper.name }, async (within) => run(keeper, within));
      };
      const { cid, size } = await importSource(source, put.cidVersion ?? 1, (block, bytes) =>
        each((keeper, within) => keeper.storeBlock(block, bytes, within)),
      );
      await each((keeper, within) => keeper.keep?.(cid, within));
      return { cid: cid.toString(), size };
    },

    async get(text, get = {}) {
      const root = parseContentId(text);
      return within(get, root, async (nodes) => {
        const { cid, node } = await resolvePath(root, get.path ?? '', nodes);
        if (node.kind === 'directory')
          throw unsupported(cid, `it is a directory; name a file in it (${cid.toString()}/NAME)`);
        return Buffer.concat(await Array.fromAsync(nodes.file(cid, node)));
      });
    },

    async exportDirectory(text, directory, get = {}) {
      const root = parseContentId(text);
      return within(get, root, async (nodes) => {
        const { cid, node } = await resolvePath(root, get.path ?? '', nodes);
        if (node.kind === 'file') throw unsupported(cid, 'it is a file, not a directory');
        const { maxEntries = DEFAULT_MAX_ENTRIES } = get;
        return exportDirectory(directory, { root: cid, node, maxEntries, reader: nodes });
      });
    },

    async has(text, get = {}) {
      const root = parseContentId(text);
      try {
        await within({ ...get, maxBytes: DEFAULT_MAX_BYTES }, root, (nodes) => nodes.node(root));
        return true;
      } catch (error) {
        if (AssayError.is(error) && (error.code === 'CONTENT_NOT_FOUND' || error.code === 'CONTENT_CORRUPT'))
          return false;
        throw error;
      }
    },
  };
}

/** Returns the CID and size that `put` would give, without storing anything. */
export async function contentIdOfSource(source: ContentSource, cidVersion: 0 | 1 = 1): Promise<StoredContent> {
  const { cid, size } = await importSource(source, cidVersion, async () => {});
  return { cid: cid.toString(), size };
}

function importSource(source: ContentSource, version: 0 | 1, emit: EmitBlock): Promise<Imported> {
  if (source instanceof Uint8Array) return importFile([source], version, emit);
  if ('file' in source) return importHostFile(source.file, version, emit);
  return importDirectory(source.directory, version, emit);
}
