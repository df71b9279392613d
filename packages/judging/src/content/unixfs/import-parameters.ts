/**
 * How files become blocks: what `ipfs add` and `ipfs add --cid-version=1` of Kubo do by default. Another value anywhere
 * here gives other CIDs for the same bytes.
 */
export const IMPORT_PARAMETERS = {
  /** Size of every chunk of a file but the last. */
  chunkBytes: 262_144,
  /** Children of one node of a file; the tree is balanced: all leaves at one depth, filled from the left. */
  maxLinks: 174,
  /** Version 1 keeps a chunk as it is, version 0 wraps it in a UnixFS node. */
  rawLeaves: { 0: false, 1: true },
  /** A directory whose names and CIDs take more bytes than this is sharded (HAMT) by Kubo; Assay refuses it. */
  maxDirectoryBytes: 262_144,
} as const;

export type CidVersion = keyof typeof IMPORT_PARAMETERS.rawLeaves;
