import { closeSync, openSync, readSync } from 'node:fs';
import { compileNeedle } from './compile-needle.ts';
import { DOUBLE, LONG_WORD, mix, phraseHash, SINGLE, TRIPLE, wordHash, type ByteMatcher } from './matcher.ts';
import type { LeakNeedle } from './needle.ts';
import { nextRun, resumeBefore } from './skip-short-words.ts';
import { BYTE_CLASS, skipEscape, WORD } from './words.ts';

/** Minimum number of letters in a kept phrase of one, two and three words; shorter ones are noise of binaries. */
const MIN_SINGLE = 12;
const MIN_DOUBLE = 12;
const MIN_TRIPLE = 10;
/** Every kept phrase has a word of at least this many letters, because three shorter ones are too short together. */
const TELLING_WORD = Math.ceil(MIN_TRIPLE / 3);
/** In bytes. Reading on is faster than skipping a shorter distance. */
const WORTH_SKIPPING = 40;
/** With fewer phrases a needle cannot be ruled out with confidence. */
const ENOUGH_PHRASES = 6;

/** Number of phrases whose bits are set together, so that their memory accesses overlap. */
const BATCH = 4096;

/**
 * Remembers the phrases of up to three words in what it is shown, one bit each: enough to say later that a needle is
 * *not* there without reading everything again.
 */
export class PhraseCollector implements ByteMatcher {
  readonly needles: readonly LeakNeedle[] = [];
  readonly span = 4096;
  readonly bits: Uint8Array;
  readonly #mask: number;
  readonly #batch = new Int32Array(BATCH);

  /** `size` is the number of bits, a power of two up to 2^31. */
  constructor(size: number) {
    this.bits = new Uint8Array(size / 8);
    this.#mask = size - 1;
  }

  /** One plain loop over bytes: most of the time of a scan goes here. */
  match(bytes: Buffer): number[] {
    const batch = this.#batch;
    const mask = this.#mask;
    const classes = BYTE_CLASS;
    const length = bytes.length;
    const longWords: number[] = [];
    let count = 0;
    let before = 0;
    let last = 0;
    let beforeLength = 0;
    let lastLength = 0;
    let position = 0;
    let skipFrom = 0;
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
      // No shorter phrase is kept where three words are too short.
      if (beforeLength + lastLength + size >= MIN_TRIPLE) {
        batch[count++] = mix((Math.imul(Math.imul(before, 31) + last, 31) + hash) ^ TRIPLE) & mask;
        if (lastLength + size >= MIN_DOUBLE) batch[count++] = mix((Math.imul(last, 31) + hash) ^ DOUBLE) & mask;
        if (size >= MIN_SINGLE) batch[count++] = mix(hash ^ SINGLE) & mask;
        if (count > BATCH - 3) {
          this.#set(count);
          count = 0;
        }
      }
      before = last;
      last = hash;
      beforeLength = lastLength;
      lastLength = size;
      if (beforeLength >= TELLING_WORD || size >= TELLING_WORD || position < skipFrom) continue;
      // After two short words no phrase is kept that ends before the next longer one.
      const next = nextRun(bytes, position, TELLING_WORD);
      if (next < 0) break;
      if (next - position > WORTH_SKIPPING) position = resumeBefore(bytes, position, next);
      skipFrom = next + TELLING_WORD;
    }
    this.#set(count);
    return longWords;
  }

  #set(count: number): void {
    const bits = this.bits;
    const batch = this.#batch;
    for (let index = 0; index < count; index += 1) {
      const bit = batch[index] as number;
      bits[bit >>> 3] = (bits[bit >>> 3] as number) | (1 << (bit & 7));
    }
  }
}

/**
 * Returns the needles that may be in what a collector saw; all others certainly are not. `path` is a file with the
 * collector's bits.
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
 * Lists phrases that every copy of a needle contains. Those at the ends of lines are used only when there are few
 * others, because something may stick to them.
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
