import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { AssayError } from '@assay/protocol';
import type { CID } from 'multiformats/cid';
import { writeAtomic } from '@assay/files/atomic-write';
import { makeOutputDirectory } from '@assay/files/output-place';
import type { BlockKeeper, BlockRequest } from '../block-source.ts';
import { systemReason, unreadable } from '../host-file.ts';
import { digestHex, matchesContentId } from '../content-id.ts';

/**
 * Blocks in a directory: `blocks/ab/ab…` by the hexadecimal digest, so that a block lies there once for all its CIDs.
 * Made when the first block is stored. Several processes may use it at once; a block that was damaged is told and never
 * handed over.
 */
export class LocalBlocks implements BlockKeeper {
  readonly name: string;
  readonly #root: string;

  constructor(directory: string) {
    this.name = directory;
    this.#root = join(directory, 'blocks');
  }

  async fetchBlock(cid: CID, request: BlockRequest): Promise<Uint8Array | null> {
    const path = this.#pathOf(cid);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
      (error: unknown) => absent(path, error),
    );
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size > request.maxBytes)
        throw new AssayError('CONTENT_TOO_LARGE', { reference: cid.toString(), limit: request.maxBytes });
      const bytes = await file.readFile();
      if (!matchesContentId(cid, bytes))
        throw new AssayError('CONTENT_CORRUPT', { cid: cid.toString(), detail: `${path} is damaged` });
      return bytes;
    } finally {
      await file.close();
    }
  }

  /** Replaces a damaged block, too. */
  async storeBlock(cid: CID, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(cid);
    try {
      await makeOutputDirectory(dirname(path));
      await writeAtomic(path, bytes);
    } catch (error) {
      throw new AssayError(
        'CONTENT_UNWRITABLE',
        {
          path: this.name,
          detail: AssayError.is(error) ? String(error.details['detail'] ?? error.message) : systemReason(error),
        },
        { cause: error },
      );
    }
  }

  #pathOf(cid: CID): string {
    const digest = digestHex(cid);
    return join(this.#root, digest.slice(0, 2), digest);
  }
}

function absent(path: string, error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw unreadable(path, error);
}
