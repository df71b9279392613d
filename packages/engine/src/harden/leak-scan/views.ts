import { BASE64_DIGITS, blobRuns, HEX_DIGITS } from './blob-runs.ts';
import type { ViewKind } from './matcher.ts';

/** Another reading of the same bytes. `open`: it may be a container itself. */
export interface View {
  name: string;
  bytes: Buffer;
  kind: ViewKind;
  open: boolean;
}

/** Fewer decoded bytes cannot hold a needle. */
const MIN_DECODED = 60;
/** Longer blobs are decoded from their beginning only. */
const MAX_SHIFTED = 4 * 1024 * 1024;

/**
 * All readings of `bytes` beside the plain one that something in them suggests. `longestWord` is what the matcher saw: without a
 * long word there is no base64 and no hex.
 */
export function* viewsOf(bytes: Buffer, longestWord: number): Generator<View> {
  const hasZero = bytes.includes(0);
  if (hasZero) yield* wideText(bytes);
  if (longestWord >= 24) {
    yield* base64(bytes);
    yield* hexadecimal(bytes);
  }
  if (hasZero) return;
  if (bytes.includes('\\x') || bytes.includes('0x')) yield* byteLiterals(bytes);
  if (bytes.includes('\x1b[') || bytes.includes('<span')) yield { name: 'markup', bytes: withoutMarkup(bytes), kind: 'text', open: false };
  if (bytes.includes('%20') || bytes.includes('%0A') || bytes.includes('%0a')) yield { name: 'percent', bytes: percentDecoded(bytes), kind: 'text', open: false };
  if (bytes.includes('=3D') || bytes.includes('=\n') || bytes.includes('=\r\n')) yield { name: 'quoted-printable', bytes: quotedPrintable(bytes), kind: 'text', open: false };
}

/** UTF-16 and UTF-32 with or without a mark, at any place: stretches in which every second (or fourth) byte is zero. */
function* wideText(bytes: Buffer): Generator<View> {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    const text = new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
    yield { name: 'utf-16', bytes: Buffer.from(text, 'utf8'), kind: 'text', open: false };
  }
  const parts: Buffer[] = [];
  for (const [from, to] of alternatingRuns(bytes)) parts.push(bytes.subarray(from, to).filter((byte) => byte !== 0) as Buffer, Buffer.from('\n'));
  if (parts.length > 0) yield { name: 'utf-16', bytes: Buffer.concat(parts), kind: 'binary', open: false };
}

function* alternatingRuns(bytes: Buffer): Generator<[number, number]> {
  const window = 64;
  let start = -1;
  for (let at = 0; at < bytes.length; at += window) {
    let zeros = 0;
    const end = Math.min(at + window, bytes.length);
    for (let index = at; index < end; index += 1) if (bytes[index] === 0) zeros += 1;
    const share = zeros / (end - at);
    const wide = share > 0.3 && share < 0.8;
    if (wide && start < 0) start = Math.max(0, at - window);
    if (!wide && start >= 0) {
      yield [start, end];
      start = -1;
    }
  }
  if (start >= 0) yield [start, bytes.length];
}

function* base64(bytes: Buffer): Generator<View> {
  for (const run of blobRuns(bytes, BASE64_DIGITS, Math.ceil((MIN_DECODED * 4) / 3))) {
    // What stands directly before the blob may have been taken for a part of it.
    const shifts = run.length > MAX_SHIFTED ? 1 : 4;
    for (let shift = 0; shift < shifts; shift += 1) {
      yield { name: 'base64', bytes: Buffer.from(run.toString('latin1', shift), 'base64'), kind: 'binary', open: true };
    }
  }
}

function* hexadecimal(bytes: Buffer): Generator<View> {
  for (const run of blobRuns(bytes, HEX_DIGITS, 2 * MIN_DECODED)) {
    for (const shift of [0, 1]) yield { name: 'hex', bytes: Buffer.from(run.toString('latin1', shift), 'hex'), kind: 'binary', open: true };
  }
}

/** `"\x64\x65"`, `0x64, 0x65`. */
function* byteLiterals(bytes: Buffer): Generator<View> {
  const text = bytes.toString('latin1');
  let decoded = '';
  let end = 0;
  for (const match of text.matchAll(/(?:\\x|0x)([0-9A-Fa-f]{2})[\s,"']{0,8}/g)) {
    if (match.index !== end && decoded !== '') {
      if (decoded.length >= MIN_DECODED) yield { name: 'hex', bytes: Buffer.from(decoded, 'latin1'), kind: 'binary', open: true };
      decoded = '';
    }
    decoded += String.fromCharCode(Number.parseInt(match[1] ?? '', 16));
    end = match.index + match[0].length;
  }
  if (decoded.length >= MIN_DECODED) yield { name: 'hex', bytes: Buffer.from(decoded, 'latin1'), kind: 'binary', open: true };
}

/** Without terminal colours and tags: what a reader of highlighted source sees. */
function withoutMarkup(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\x1b\[[0-9;]*[A-Za-z]|<\/?[a-z][^<>]{0,300}>/g, ''), 'latin1');
}

function percentDecoded(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replaceAll('+', ' ');
  return Buffer.from(text.replace(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))), 'latin1');
}

function quotedPrintable(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(text, 'latin1');
}
