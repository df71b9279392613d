import { promisify } from 'node:util';
import { constants, crc32, gunzip, inflate, inflateRaw, inflateRawSync, type ZlibOptions } from 'node:zlib';

import { HttpFailure } from './http-failure.ts';

const CODINGS_AT_MOST = 8;
const KNOWN = new Set(['gzip', 'x-gzip', 'deflate']);

const unpackers = { gzip: promisify(gunzip), zlib: promisify(inflate), raw: promisify(inflateRaw) };

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** A body that was cut off decodes to what there is of it. */
async function unpack(kind: keyof typeof unpackers, bytes: Buffer, limit: number): Promise<Buffer> {
  const options: ZlibOptions = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: limit };
  try {
    return await unpackers[kind](bytes, options);
  } catch (error) {
    if (isTooLarge(error)) throw new HttpFailure('too-large', `the decoded answer is longer than ${limit} bytes`);
    throw new HttpFailure('undecodable', `the answer is not ${kind}`);
  }
}

const GZIP_HEAD = /^\x1f\x8b\x08([^])[^]{6}/;

/** Where the compressed bytes of a gzip member begin; null when that is none. */
function gzipContentStart(bytes: Buffer): number | null {
  const flags = GZIP_HEAD.exec(bytes.subarray(0, 10).toString('latin1'))?.[1]?.charCodeAt(0);
  if (flags === undefined) return null;
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + (bytes.length >= at + 2 ? bytes.readUInt16LE(at) : 0);
  for (const bit of [8, 16]) if ((flags & bit) !== 0) at = bytes.indexOf(0, at) + 1 || bytes.length;
  return (flags & 2) === 0 ? at : at + 2;
}

/** Decodes the members of a gzip body before the first broken one; null when that is the very first. */
function wholeMembers(bytes: Buffer, limit: number): Buffer | null {
  const start = gzipContentStart(bytes);
  if (start === null || start >= bytes.length) return null;
  try {
    const { buffer, engine } = unpackWithInfo(bytes.subarray(start), limit);
    const end = start + engine.bytesWritten;
    if (bytes.length < end + 8 || bytes.readUInt32LE(end) !== crc32(buffer)) return null;
    const rest = wholeMembers(bytes.subarray(end + 8), limit - buffer.length);
    return rest === null ? buffer : Buffer.concat([buffer, rest]);
  } catch {
    return null;
  }
}

function unpackWithInfo(bytes: Buffer, limit: number): { buffer: Buffer; engine: { bytesWritten: number } } {
  return inflateRawSync(bytes, { info: true, maxOutputLength: limit }) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
}

/** Garbage behind a whole member is no error. */
async function decodeGzip(bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    return await unpack('gzip', bytes, limit);
  } catch (error) {
    const members = error instanceof HttpFailure && error.kind === 'undecodable' ? wholeMembers(bytes, limit) : null;
    if (members === null) throw error;
    return members;
  }
}

async function decodeOne(coding: string, bytes: Buffer, limit: number): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  if (coding === 'gzip' || coding === 'x-gzip') return decodeGzip(bytes, limit);
  try {
    return await unpack('zlib', bytes, limit);
  } catch (error) {
    if (error instanceof HttpFailure && error.kind === 'too-large') throw error;
    return unpack('raw', bytes, limit);
  }
}

/**
 * A body without its compression. Of a list with one coding that is known, all are taken for one; a coding that is not
 * known leaves the body as it is.
 * @param coding - the value of `Content-Encoding`.
 * @throws HttpFailure `undecodable`, or `too-large` past `limit` bytes in any step.
 */
export async function decodeContent(coding: string, body: Buffer, limit: number): Promise<Buffer> {
  const codings = coding.toLowerCase().split(',');
  const listed = codings.map((each) => each.trim());
  if (!(codings.length === 1 ? codings : listed).some((each) => KNOWN.has(each))) return body;
  if (listed.length > CODINGS_AT_MOST)
    throw new HttpFailure('too-large', `more than ${CODINGS_AT_MOST} codings of one answer`);
  let decoded = body;
  for (const each of listed.reverse()) decoded = await decodeOne(each, decoded, limit);
  return decoded;
}
