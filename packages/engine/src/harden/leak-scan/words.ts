/**
 * How the leak scan reads bytes: as ASCII words `[A-Za-z0-9_]+` with gaps between them. Escapes (`\n`, `\"`, `\u003c`,
 * `&lt;`) belong to the gap whatever their depth, so text keeps its words when it is quoted, escaped, prefixed,
 * re-indented or stored in another 8-bit encoding; what is not ASCII is gap, too.
 */
const SEPARATOR = 0;
export const WORD = 1;
const BACKSLASH = 92;
const AMPERSAND = 38;

/** 1 for a byte of a word, 2 for one that may start an escape, else 0. */
export const BYTE_CLASS: Uint8Array = byteClasses();

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256).fill(SEPARATOR);
  for (let byte = 0; byte < 256; byte += 1)
    if (/\w/.test(String.fromCharCode(byte)) && byte < 128) classes[byte] = WORD;
  classes[BACKSLASH] = 2;
  classes[AMPERSAND] = 2;
  return classes;
}

/** Returns the position after the escape (a backslash or an ampersand) at `position`; at least `position + 1`. */
export function skipEscape(bytes: Uint8Array, position: number): number {
  return bytes[position] === BACKSLASH ? skipBackslash(bytes, position) : skipEntity(bytes, position);
}

function skipBackslash(bytes: Uint8Array, position: number): number {
  let at = position;
  while (bytes[at] === BACKSLASH) at += 1;
  const letter = bytes[at];
  if (letter === undefined || BYTE_CLASS[letter] !== WORD) return at;
  if (letter === 0x75 && hexDigits(bytes, at + 1, 4) === 4) return at + 5;
  if (letter === 0x78 && hexDigits(bytes, at + 1, 2) === 2) return at + 3;
  return at + Math.max(1, octalDigits(bytes, at));
}

function skipEntity(bytes: Uint8Array, position: number): number {
  let at = position + 1;
  for (let length = 0; length < 9; length += 1, at += 1) {
    const byte = bytes[at];
    if (byte === 0x3b && length > 1) {
      const doubled =
        bytes[position + 1] === 0x61 && bytes[position + 2] === 0x6d && bytes[position + 3] === 0x70 && length === 3;
      // `&amp;lt;` is one escape: its tail reads as an entity without the ampersand.
      return doubled ? entityTail(bytes, at + 1) : at + 1;
    }
    if (byte === undefined || (BYTE_CLASS[byte] !== WORD && byte !== 0x23)) break;
  }
  return position + 1;
}

function entityTail(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < start + 9) {
    const byte = bytes[at];
    if (byte === 0x3b) {
      if (at - start < 2) return start;
      return bytes[start] === 0x61 && bytes[start + 1] === 0x6d && bytes[start + 2] === 0x70 && at === start + 3
        ? entityTail(bytes, at + 1)
        : at + 1;
    }
    if (byte === undefined || (BYTE_CLASS[byte] !== WORD && byte !== 0x23)) return start;
    at += 1;
  }
  return start;
}

function hexDigits(bytes: Uint8Array, start: number, most: number): number {
  let count = 0;
  while (count < most && isHex(bytes[start + count])) count += 1;
  return count;
}

function isHex(byte: number | undefined): boolean {
  return (
    byte !== undefined && ((byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102))
  );
}

function octalDigits(bytes: Uint8Array, start: number): number {
  let count = 0;
  for (; count < 3; count += 1) {
    const byte = bytes[start + count];
    if (byte === undefined || byte < 48 || byte > 55) break;
  }
  return count;
}

/** Positions at which words begin and end. */
export interface WordSpans {
  starts: number[];
  ends: number[];
}

export function wordSpans(bytes: Uint8Array, from: number, to: number): WordSpans {
  const starts: number[] = [];
  const ends: number[] = [];
  let position = from;
  while (position < to) {
    const kind = BYTE_CLASS[bytes[position] ?? 0];
    if (kind === WORD) {
      starts.push(position);
      while (position < to && BYTE_CLASS[bytes[position] ?? 0] === WORD) position += 1;
      ends.push(position);
    } else {
      position = kind === SEPARATOR ? position + 1 : skipEscape(bytes, position);
    }
  }
  return { starts, ends };
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Reduces a gap to its ASCII punctuation: escapes undone, without white space and backslashes. Takes Latin-1 text. */
export function gapPunctuation(gap: string): string {
  let text = gap;
  for (let depth = 0; depth < 3 && text.includes('&'); depth += 1) {
    text = text.replace(/&(?:(#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8});)/gi, (_, name: string) => entity(name));
  }
  if (text.includes('\\'))
    text = text.replace(/\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|[0-7]{1,3}|\w)?/gi, (_, long?: string, short?: string) =>
      ascii(Number.parseInt(long ?? short ?? '0', 16)),
    );
  return text.replace(/[^!-~]+/g, '');
}

function entity(name: string): string {
  const known = ENTITIES[name.toLowerCase()];
  if (known !== undefined) return known;
  if (!name.startsWith('#')) return '';
  return ascii(/^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10));
}

function ascii(code: number): string {
  // A letter or digit in an escape is not punctuation; a backslash is dropped everywhere.
  return code > 32 && code < 127 && code !== BACKSLASH && BYTE_CLASS[code] !== WORD ? String.fromCharCode(code) : '';
}
