import { closeSync, openSync, readSync } from 'node:fs';
import { compileNeedle } from './compile-needle.ts';
import { DOUBLE, LONG_WORD, mix, phraseHash, SINGLE, TRIPLE, wordHash, type ByteMatcher } from './matcher.ts';
import type { LeakNeedle } from './needle.ts';
import { BYTE_CLASS, skipEscape, WORD } from './words.ts';

/** Letters of the words of a phrase that is kept, by their number; shorter ones are the noise of binaries. */
const MIN_SINGLE = 12;
const MIN_DOUBLE = 12;
const MIN_TRIPLE = 10;
/** With fewer phrases a needle cannot be ruled out with confidence. */
const ENOUGH_PHRASES = 6;

/**
 * Remembers which phrases of up to three words stand in what it is shown, as one bit each: enough to say later that a
 * needle is
 * *not* there, without reading everything again.
 */
export class PhraseCollector implements ByteMatcher {
  readonly needles: readonly LeakNeedle[] = [];
  readonly span = 4096;
  readonly bits: Uint8Array;
  readonly #mask: number;

  /** `size` is the number of bits, a power of two up to 2^31. */
  constructor(size: number) {
    this.bits = new Uint8Array(size / 8);
    this.#mask = size - 1;
  }

  match(bytes: Buffer): number[] {
    const bits = this.bits;
    const mask = this.#mask;
    const classes = BYTE_CLASS;
    const length = bytes.length;
    const longWords: number[] = [];
    let before = 0;
    let last = 0;
    let beforeLength = 0;
    let lastLength = 0;
    let position = 0;
    while (position < length) {
      let byte = bytes[position] as number;
      if (classes[byte] !== WORD) {
        position = classes[byte] === 0 ? position + 1 : skipEscape(bytes, position);
        continue;
      }
      const start = position;
      let hash = 0;
      do {
        hash = Math.imul(hash ^ byte, 0x01000193);
        position += 1;
        if (position === length) break;
        byte = bytes[position] as number;
      } while (classes[byte] === WORD);
      hash ^= hash >>> 15;
      const size = position - start;
      if (size >= LONG_WORD) longWords.push(start);
      if (beforeLength + lastLength + size >= MIN_TRIPLE) {
        const bit = mix((Math.imul(Math.imul(before, 31) + last, 31) + hash) ^ TRIPLE) & mask;
        bits[bit >>> 3] = (bits[bit >>> 3] as number) | (1 << (bit & 7));
      }
      if (lastLength + size >= MIN_DOUBLE) {
        const bit = mix((Math.imul(last, 31) + hash) ^ DOUBLE) & mask;
        bits[bit >>> 3] = (bits[bit >>> 3] as number) | (1 << (bit & 7));
      }
      if (size >= MIN_SINGLE) {
        const bit = mix(hash ^ SINGLE) & mask;
        bits[bit >>> 3] = (bits[bit >>> 3] as number) | (1 << (bit & 7));
      }
      before = last;
      last = hash;
      beforeLength = lastLength;
      lastLength = size;
    }
    return longWords;
  }
}

/**
 * The needles that may stand in what a collector saw; all others certainly do not. `path` holds the collector's bits.
 */
export function possibleNeedles(path: string, size: number, needles: readonly LeakNeedle[]): LeakNeedle[] {
  const descriptor = openSync(path, 'r');
  const byte = Buffer.alloc(1);
  const isSet = (hash: number): boolean => {
    const bit = hash & (size - 1);
    readSync(descriptor, byte, 0, 1, bit >>> 3);
    return ((byte[0] ?? 0) & (1 << (bit & 7))) !== 0;
  };
  try {
    return needles.filter((needle) => phrasesOf(needle).every(isSet));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Phrases that every copy of a needle holds. Those at the ends of lines only when there are few others: something may
 * stick to them.
 */
function phrasesOf(needle: LeakNeedle): number[] {
  const inner: number[] = [];
  const outer: number[] = [];
  for (const { words } of compileNeedle(needle)?.lines ?? []) {
    for (const [width, least] of [
      [3, MIN_TRIPLE],
      [2, MIN_DOUBLE],
      [1, MIN_SINGLE],
    ] as const) {
      for (let at = 0; at + width <= words.length; at += 1) {
        const phrase = words.slice(at, at + width);
        if (phrase.join('').length < least) continue;
        const isInner = at > 0 && at + width < words.length;
        (isInner ? inner : outer).push(phraseHash(phrase.map(wordHash)));
      }
    }
  }
  return inner.length >= ENOUGH_PHRASES ? inner : [...inner, ...outer];
}
