import { BYTE_CLASS, WORD } from './words.ts';

const HASH = 0x23;
const SEMICOLON = 0x3b;

/**
 * Returns the position, at `from` or later, of the next `size` consecutive bytes that may belong to a word; -1 when
 * there are none.
 */
export function nextRun(bytes: Uint8Array, from: number, size: number): number {
  const classes = BYTE_CLASS;
  const length = bytes.length;
  let at = from + size - 1;
  while (at < length) {
    if (classes[bytes[at] as number] !== WORD) {
      at += size;
      continue;
    }
    let start = at;
    while (start > from && classes[bytes[start - 1] as number] === WORD) start -= 1;
    let end = at + 1;
    while (end < start + size && end < length && classes[bytes[end] as number] === WORD) end += 1;
    if (end - start >= size) return start;
    at = end + size;
  }
  return -1;
}

/**
 * Returns a position between `from` and `run` at which reading can resume as if everything before had been read, with
 * two words left before `run`; `from` when there is no such position. No escape begins between the position and `run`,
 * and none that began earlier reaches past it.
 */
export function resumeBefore(bytes: Uint8Array, from: number, run: number): number {
  const classes = BYTE_CLASS;
  let words = 0;
  for (let at = run - 1; at > from; at -= 1) {
    const byte = bytes[at] as number;
    if (classes[byte] === WORD) {
      if (classes[bytes[at - 1] as number] !== WORD) words += 1;
    } else if (classes[byte] !== 0) return from;
    else if (words >= 2 && byte !== HASH && byte !== SEMICOLON) return at + 1;
  }
  return from;
}
