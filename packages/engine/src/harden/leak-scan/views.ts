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
/** Longer blobs are decoded only from their beginning. */
const MAX_SHIFTED = 4 * 1024 * 1024;

/**
 * Yields every reading of `bytes`, beside the plain one, that something in them suggests. `longWords` holds the
 * positions of words that may be base64 or hex.
 */
export function* viewsOf(bytes: Buffer, longWords: readonly number[]): Generator<View> {
  const hasZero = bytes.includes(0);
  if (hasZero) yield* wideText(bytes);
  yield* base64(bytes, longWords);
  yield* hexadecimal(bytes, longWords);
  if (hasZero) return;
  if (bytes.includes('\\x') || bytes.includes('0x')) yield* byteLiterals(bytes);
  if (bytes.includes('\x1b[') || bytes.includes('<span'))
    yield { name: 'markup', bytes: withoutMarkup(bytes), kind: 'text', open: false };
  if (bytes.includes('%20') || bytes.includes('%0A') || bytes.includes('%0a'))
    yield { name: 'percent', bytes: percentDecoded(bytes), kind: 'text', open: false };
  if (bytes.includes('=3D') || bytes.includes('=\n') || bytes.includes('=\r\n'))
    yield { name: 'quoted-printable', bytes: quotedPrintable(bytes), kind: 'text', open: false };
}

/**
 * Reads UTF-16 and UTF-32, with or without a mark, anywhere: stretches in which every second byte, or three of four,
 * are zero.
 */
function* wideText(bytes: Buffer): Generator<View> {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    const text = new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
    yield { name: 'utf-16', bytes: Buffer.from(text, 'utf8'), kind: 'text', open: false };
  }
  const narrow = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (const [from, to] of alternatingRuns(bytes)) {
    for (let at = from; at < to; at += 1) if (bytes[at] !== 0) narrow[length++] = bytes[at] as number;
    narrow[length++] = 0x0a;
  }
  if (length > MIN_DECODED) yield { name: 'utf-16', bytes: narrow.subarray(0, length), kind: 'binary', open: false };
}

/** Yields stretches in which every second byte, or three of four, are zero. */
function* alternatingRuns(bytes: Buffer): Generator<[number, number]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let start = -1;
  for (let at = 0; at < bytes.length; at += WINDOW) {
    const wide = isWide(view, at);
    if (wide && start < 0) start = Math.max(0, at - WINDOW);
    if (wide || start < 0) continue;
    // The next window was only partly of that kind.
    yield [start, Math.min(at + WINDOW - 1, bytes.length)];
    start = -1;
  }
  if (start >= 0) yield [start, bytes.length];
}

const WINDOW = 64;

function isWide(view: DataView, from: number): boolean {
  const end = Math.min(from + WINDOW, view.byteLength);
  // Counts zero bytes by position modulo four, each count in a byte of its own.
  let zeros = 0;
  let at = from;
  for (; at + 4 <= end; at += 4) zeros += zeroBytes(view.getInt32(at, true));
  let even = (zeros & 0xff) + ((zeros >>> 16) & 0xff);
  let odd = ((zeros >>> 8) & 0xff) + (zeros >>> 24);
  if (at + 1 < end) {
    if (view.getUint8(at) === 0) even += 1;
    if (view.getUint8(at + 1) === 0) odd += 1;
  }
  const half = (end - from) / 2;
  const [more, less] = even > odd ? [even, odd] : [odd, even];
  return more > half * 0.6 && less < half * 0.7 && (less < half * 0.2 || less > half * 0.3);
}

/** Returns a word with 1 in each byte that is zero in `word`, and 0 elsewhere. */
function zeroBytes(word: number): number {
  return (~(((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) & 0x80808080) >>> 7;
}

function* base64(bytes: Buffer, longWords: readonly number[]): Generator<View> {
  for (const run of blobRuns(bytes, longWords, BASE64_DIGITS, Math.ceil((MIN_DECODED * 4) / 3))) {
    // Characters directly before the blob may have been taken for part of it.
    const shifts = run.length > MAX_SHIFTED ? 1 : 4;
    for (let shift = 0; shift < shifts; shift += 1) {
      yield { name: 'base64', bytes: Buffer.from(run.toString('latin1', shift), 'base64'), kind: 'binary', open: true };
    }
  }
}

function* hexadecimal(bytes: Buffer, longWords: readonly number[]): Generator<View> {
  for (const run of blobRuns(bytes, longWords, HEX_DIGITS, 2 * MIN_DECODED)) {
    for (const shift of [0, 1])
      yield { name: 'hex', bytes: Buffer.from(run.toString('latin1', shift), 'hex'), kind: 'binary', open: true };
  }
}

/** Reads bytes written as `"\x64\x65"` or `0x64, 0x65`. */
function* byteLiterals(bytes: Buffer): Generator<View> {
  const text = bytes.toString('latin1');
  let decoded = '';
  let end = 0;
  for (const match of text.matchAll(/(?:\\x|0x)([0-9A-Fa-f]{2})[\s,"']{0,8}/g)) {
    if (match.index !== end && decoded !== '') {
      if (decoded.length >= MIN_DECODED)
        yield { name: 'hex', bytes: Buffer.from(decoded, 'latin1'), kind: 'binary', open: true };
      decoded = '';
    }
    decoded += String.fromCharCode(Number.parseInt(match[1] ?? '', 16));
    end = match.index + match[0].length;
  }
  if (decoded.length >= MIN_DECODED)
    yield { name: 'hex', bytes: Buffer.from(decoded, 'latin1'), kind: 'binary', open: true };
}

/** Removes terminal colours and tags: what remains is what a reader of highlighted source sees. */
function withoutMarkup(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/\x1b\[[0-9;]*[A-Za-z]|<\/?[a-z][^<>]{0,300}>/g, ''), 'latin1');
}

function percentDecoded(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replaceAll('+', ' ');
  return Buffer.from(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
}

function quotedPrintable(bytes: Buffer): Buffer {
  const text = bytes
    .toString('latin1')
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(text, 'latin1');
}
