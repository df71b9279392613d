import { createHash } from 'node:crypto';
import * as dagPb from '@ipld/dag-pb';
import { AssayError } from '@assay/protocol';
import { CID } from 'multiformats/cid';
import * as identity from 'multiformats/hashes/identity';
import * as multihash from 'multiformats/hashes/digest';

export const RAW = 0x55;
export const DAG_PB = dagPb.code;
const SHA2_256 = 0x12;
const SHA2_256_BYTES = 32;
const IDENTITY = identity.identity.code;
/** The limit of go-verifcid. An identity CID carries its content, and anything longer belongs in a block. */
const MAX_IDENTITY_BYTES = 128;
/** Limit on the text of a CID. No encoding that {@link parseContentId} accepts is longer. */
const MAX_TEXT = 300;

/**
 * Reads a CID: version 1 in base32, base36 or base58, or version 0. Throws `CONTENT_REFERENCE_INVALID` for what is no
 * CID and `CONTENT_UNSUPPORTED` for a codec or hash that Assay cannot verify.
 */
export function parseContentId(text: string): CID {
  const cid = tryParse(text);
  if (cid === null)
    throw new AssayError('CONTENT_REFERENCE_INVALID', {
      reference: JSON.stringify(text.slice(0, 100)),
      detail: 'it is no CID',
    });
  assertSupported(cid);
  return cid;
}

/** Returns whether the text is a CID, of any codec and hash. */
export function isContentId(text: string): boolean {
  return tryParse(text) !== null;
}

/** Returns the CID of one block, by sha2-256. Version 0 exists for dag-pb alone. */
export function contentIdOf(bytes: Uint8Array, codec: number, version: 0 | 1): CID {
  const digest = multihash.create(SHA2_256, createHash('sha256').update(bytes).digest());
  return version === 0 ? CID.createV0(digest) : CID.createV1(codec, digest);
}

/** Returns the CID of a raw block with a known sha2-256, in hexadecimal digits. */
export function contentIdOfSha256(hex: string): CID {
  return CID.createV1(RAW, multihash.create(SHA2_256, Buffer.from(hex, 'hex')));
}

/** Verifies bytes against a CID. This is the only place where content is trusted. */
export function matchesContentId(cid: CID, bytes: Uint8Array): boolean {
  const wanted = cid.multihash;
  if (wanted.code === IDENTITY) return Buffer.compare(wanted.digest, bytes) === 0;
  return wanted.code === SHA2_256 && Buffer.compare(wanted.digest, createHash('sha256').update(bytes).digest()) === 0;
}

/** Returns the content that an identity CID carries; null for all others. */
export function inlineContent(cid: CID): Uint8Array | null {
  return cid.multihash.code === IDENTITY ? cid.multihash.digest : null;
}

/** Returns the digest in hexadecimal digits, which is the same for every version and codec. */
export function digestHex(cid: CID): string {
  return Buffer.from(cid.multihash.digest).toString('hex');
}

/** Throws `CONTENT_UNSUPPORTED` unless the codec is raw or dag-pb and the hash sha2-256 (or a short identity). */
export function assertSupported(cid: CID): void {
  const detail = unsupportedReason(cid);
  if (detail !== null) throw new AssayError('CONTENT_UNSUPPORTED', { cid: cid.toString(), detail });
}

function unsupportedReason(cid: CID): string | null {
  const { code, digest } = cid.multihash;
  if (cid.code !== RAW && cid.code !== DAG_PB)
    return `its codec 0x${cid.code.toString(16)} is neither raw nor UnixFS (dag-pb)`;
  if (code === IDENTITY)
    return digest.length <= MAX_IDENTITY_BYTES ? null : `an identity CID of more than ${MAX_IDENTITY_BYTES} bytes`;
  if (code !== SHA2_256) return `its hash 0x${code.toString(16)} is not sha2-256`;
  return digest.length === SHA2_256_BYTES ? null : 'its hash is cut short';
}

function tryParse(text: string): CID | null {
  if (text.length > MAX_TEXT) return null;
  try {
    return CID.parse(text);
  } catch {
    return null;
  }
}
