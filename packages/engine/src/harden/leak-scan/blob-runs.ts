/** Shorter segments start no blob: they are names and numbers. */
const MIN_SEGMENT = 24;
/** Between two segments of one blob: a line end, indentation, quotes, an operator. */
const MAX_GAP = 24;
/** How far before its first long word a blob may begin. */
const MAX_BACK = 1024;
const GAP = byteSet(' \t\r\n"\'`+,>#*|;()\\/');

export const BASE64_DIGITS: Uint8Array = byteSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_');
export const HEX_DIGITS: Uint8Array = byteSet('0123456789abcdefABCDEF');

function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

/**
 * Stretches of at least `minimum` digits around the words that begin at `starts`, cut into lines, string literals or
 * `\n`-escaped pieces as they may be, joined to the digits alone. Loops and no regular expression, whose stack a
 * hostile file could exhaust.
 */
export function* blobRuns(
  bytes: Buffer,
  starts: readonly number[],
  digits: Uint8Array,
  minimum: number,
): Generator<Buffer> {
  let done = 0;
  for (const start of starts) {
    if (start < done || !looksEncoded(bytes, start, digits)) continue;
    const run = runAt(bytes, startOfBlob(bytes, start, done, digits), digits);
    done = Math.max(run.end, start + 1);
    if (run.total >= minimum) yield Buffer.concat(run.pieces);
  }
}

/** A word of prose or a name has no digit, or an underscore. */
function looksEncoded(bytes: Buffer, start: number, digits: Uint8Array): boolean {
  let figures = 0;
  for (let at = start; at < start + MIN_SEGMENT; at += 1) {
    const byte = bytes[at] ?? 0;
    if (digits[byte] !== 1 || byte === 0x5f) return false;
    if (byte >= 48 && byte <= 57) figures += 1;
  }
  return figures > 0;
}

function startOfBlob(bytes: Buffer, start: number, least: number, digits: Uint8Array): number {
  const from = Math.max(least, start - MAX_BACK);
  let gap = 0;
  let begin = start;
  for (let at = start - 1; at >= from && gap <= MAX_GAP; at -= 1) {
    const byte = bytes[at] ?? 0;
    if (digits[byte] === 1) {
      gap = 0;
      begin = at;
    } else if (GAP[byte] === 1) gap += 1;
    else break;
  }
  return begin;
}

/** Pieces of the blob that begins at or soon after `from`. */
function runAt(bytes: Buffer, from: number, digits: Uint8Array): { pieces: Buffer[]; total: number; end: number } {
  const pieces: Buffer[] = [];
  let total = 0;
  let gap = 0;
  let at = from;
  while (at < bytes.length) {
    const start = at;
    while (at < bytes.length && digits[bytes[at] as number] === 1) at += 1;
    const length = at - start;
    if (length >= MIN_SEGMENT || (total > 0 && length >= 4)) {
      pieces.push(bytes.subarray(start, at));
      total += length;
      gap = 0;
      if (length < MIN_SEGMENT) break;
    } else {
      gap += length;
    }
    const step = at < bytes.length ? gapStep(bytes, at) : 0;
    gap += step;
    if (step === 0 || (total > 0 && gap > MAX_GAP)) break;
    at += step;
  }
  return { pieces, total, end: at };
}

/** Bytes of the gap at `at`: 1, or 2 for an escaped line end; 0 when a blob ends here. */
function gapStep(bytes: Buffer, at: number): number {
  if (bytes[at] === 0x5c && (bytes[at + 1] === 0x6e || bytes[at + 1] === 0x72)) return 2;
  return GAP[bytes[at] as number] === 1 ? 1 : 0;
}
