/** Shorter segments start no blob: they are names and numbers. */
const MIN_SEGMENT = 24;
/** Largest gap between two segments of one blob: a line ending, indentation, quotes, an operator. */
const MAX_GAP = 24;
/** How far a blob may begin before its first long word. */
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
 * Yields stretches of at least `minimum` digits around the words that begin at `starts`, reduced to their digits
 * however they are broken into lines, string literals or `\n`-escaped pieces. Written with loops rather than a regular
 * expression, whose stack a hostile file could exhaust.
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

/** Whether a word looks encoded: it has a digit, and no underscore. */
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

/** Reads the pieces of the blob that begins at or soon after `from`. */
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

/** Returns how many bytes of gap there are at `at`: 1, or 2 for an escaped line ending; 0 when the blob ends here. */
function gapStep(bytes: Buffer, at: number): number {
  if (bytes[at] === 0x5c && (bytes[at + 1] === 0x6e || bytes[at + 1] === 0x72)) return 2;
  return GAP[bytes[at] as number] === 1 ? 1 : 0;
}
