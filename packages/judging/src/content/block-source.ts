import type { CID } from 'multiformats/cid';

export interface BlockRequest {
  /** A source may stop reading and throw `CONTENT_TOO_LARGE` past this. */
  maxBytes: number;
  signal: AbortSignal;
}

/**
 * Somewhere that blocks come from. It is not trusted: whoever reads checks what it hands over against the CID. One file
 * in `sources/` each; all pass the same conformance suite.
 */
export interface BlockSource {
  /** For messages: where it is. */
  readonly name: string;
  /** Fetches a block, or answers null where there is none. Throws `CONTENT_UNREACHABLE` when it cannot tell. */
  fetchBlock(cid: CID, request: BlockRequest): Promise<Uint8Array | null>;
}

/** A source that also keeps blocks. */
export interface BlockKeeper extends BlockSource {
  storeBlock(cid: CID, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Called once all blocks below `root` are stored. */
  keep?(root: CID, signal: AbortSignal): Promise<void>;
}
