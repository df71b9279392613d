/** Shorter segments start no blob: they are names and numbers. */
const MIN_SEGMENT = 24;
/** Between two segments of one blob: a line end, indentation, quotes, an operator. */
const MAX_GAP = 24;
const GAP = byteSet(' \t\r\n"\'`+,>#*|;()\\/');

export const BASE64_DIGITS: Uint8Array = byteSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_');
export const HEX_DIGITS: Uint8Array = byteSet('0123456789abcdefABCDEF');

function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

/**
 * Stretches of at least `minimum` digits, cut into lines, string literals or `\n`-escaped pieces as they may be, joined to the
 * digits alone. A loop and no regular expression, whose stack a hostile file could exhaust.
 */
export function* blobRuns(bytes: Buffer, digits: Uint8Array, minimum: number): Generator<Buffer> {
  let pieces: Buffer[] = [];
  let total = 0;
  let gap = 0;
  let at = 0;
  while (at <= bytes.length) {
    const start = at;
    while (at < bytes.length && digits[bytes[at] as number] === 1) at += 1;
    const length = at - start;
    const open = pieces.length > 0;
    if (length >= MIN_SEGMENT || (open && length >= 4)) {
      pieces.push(bytes.subarray(start, at));
      total += length;
      gap = 0;
    } else {
      gap += length;
    }
    const short = open && length >= 4 && length < MIN_SEGMENT;
    const step = at < bytes.length ? gapStep(bytes, at) : 0;
    gap += step;
    if (pieces.length > 0 && (short || step === 0 || gap > MAX_GAP)) {
      if (total >= minimum) yield Buffer.concat(pieces);
      pieces = [];
      total = 0;
    }
    at += Math.max(1, step);
  }
}

/** Bytes of the gap at `at`: 1, or 2 for an escaped line end; 0 when a blob ends here. */
function gapStep(bytes: Buffer, at: number): number {
  if (bytes[at] === 0x5c && (bytes[at + 1] === 0x6e || bytes[at + 1] === 0x72)) return 2;
  return GAP[bytes[at] as number] === 1 ? 1 : 0;
}
