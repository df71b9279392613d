import { chooseAnchor, compileNeedle, type CompiledNeedle } from './compile-needle.ts';
import type { LeakNeedle } from './needle.ts';
import { verifyAt } from './verify-match.ts';
import { BYTE_CLASS, skipEscape, WORD } from './words.ts';

/** Whether words are in text, or in a binary, where a length byte may stick to the first or last word of a line. */
export type ViewKind = 'text' | 'binary';

/** Receives every reading of every content in a scan. */
export interface ByteMatcher {
  readonly needles: readonly LeakNeedle[];
  /** Bytes that any match fits into. */
  readonly span: number;
  /**
   * Calls `found` with the index of each needle in `bytes`, perhaps more than once. Returns the positions of long
   * words.
   */
  match(bytes: Buffer, kind: ViewKind, found: (needle: number) => void): number[];
}

interface Candidate {
  needle: number;
  line: number;
  word: number;
}

/**
 * Bits of the filter per needle: few enough for a processor's first-level cache, many enough to let hardly anything
 * through.
 */
const BITS_PER_NEEDLE = 64;
/** Salts that keep one word from being taken for three. */
export const SINGLE = 0x51ed270b;
export const DOUBLE = 0x2545f491;
export const TRIPLE = 0x3c6ef372;
/** Minimum length of the words in a blob of encoded data. */
export const LONG_WORD = 24;

/**
 * Finds needles in bytes. One pass hashes every word; a bitmap over the hashes of one, two and three words selects the
 * few places to examine closely, so the cost hardly depends on the number of needles.
 */
export class LeakMatcher implements ByteMatcher {
  readonly needles: readonly LeakNeedle[];
  readonly span: number;
  readonly #compiled: (CompiledNeedle | null)[];
  readonly #anchors = new Map<number, Candidate[]>();
  readonly #filter: Uint8Array;
  readonly #mask: number;
  readonly #widths = new Set<number>();
  /** Needles without ASCII words, searched for by the bytes of their longest line. */
  readonly #literals: { needle: number; lines: Buffer[]; longest: Buffer }[] = [];

  constructor(needles: readonly LeakNeedle[]) {
    this.needles = needles;
    this.#compiled = needles.map(compileNeedle);
    const bits = Math.min(26, Math.max(15, Math.ceil(Math.log2(needles.length * BITS_PER_NEEDLE + 1))));
    this.#mask = 2 ** bits - 1;
    this.#filter = new Uint8Array(2 ** bits / 8);
    let span = 4096;
    for (const [index, compiled] of this.#compiled.entries()) {
      if (compiled === null) this.#addLiteral(index);
      else {
        this.#addAnchor(index, compiled);
        span = Math.max(span, 2 * compiled.reach);
      }
    }
    this.span = Math.min(span, 1024 * 1024);
  }

  #addAnchor(index: number, compiled: CompiledNeedle): void {
    const anchor = chooseAnchor(compiled);
    const hash = phraseHash(anchor.words.map(wordHash));
    const bit = hash & this.#mask;
    this.#widths.add(anchor.words.length);
    this.#filter[bit >> 3] = (this.#filter[bit >> 3] ?? 0) | (1 << (bit & 7));
    const candidates = this.#anchors.get(hash);
    const candidate = { needle: index, line: anchor.line, word: anchor.word };
    if (candidates === undefined) this.#anchors.set(hash, [candidate]);
    else candidates.push(candidate);
  }

  #addLiteral(index: number): void {
    const lines = (this.needles[index]?.lines ?? []).map((line) => Buffer.from(line, 'utf8'));
    const longest = lines.reduce((best, line) => (line.length > best.length ? line : best), Buffer.alloc(0));
    this.#literals.push({ needle: index, lines, longest });
  }

  match(bytes: Buffer, kind: ViewKind, found: (needle: number) => void): number[] {
    const verify = (hash: number, end: number): void => {
      for (const candidate of this.#anchors.get(hash) ?? []) {
        const compiled = this.#compiled[candidate.needle];
        if (compiled && verifyAt({ bytes, kind, end }, compiled, candidate)) found(candidate.needle);
      }
    };
    for (const literal of this.#literals) if (holdsLiteral(bytes, literal)) found(literal.needle);
    return this.#hashWords(bytes, verify);
  }

  /** One plain loop over bytes, because all the time is spent here. */
  #hashWords(bytes: Buffer, verify: (hash: number, end: number) => void): number[] {
    const filter = this.#filter;
    const mask = this.#mask;
    const classes = BYTE_CLASS;
    const single = this.#widths.has(1);
    const double = this.#widths.has(2);
    const length = bytes.length;
    const longWords: number[] = [];
    let before = 0;
    let last = 0;
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
      if (position - start >= LONG_WORD) longWords.push(start);
      const two = (Math.imul(last, 31) + hash) | 0;
      const three = mix((Math.imul(Math.imul(before, 31) + last, 31) + hash) ^ TRIPLE);
      if (((filter[(three & mask) >> 3] as number) & (1 << (three & 7))) !== 0) verify(three, position);
      if (double) {
        const phrase = mix(two ^ DOUBLE);
        if (((filter[(phrase & mask) >> 3] as number) & (1 << (phrase & 7))) !== 0) verify(phrase, position);
      }
      if (single) {
        const phrase = mix(hash ^ SINGLE);
        if (((filter[(phrase & mask) >> 3] as number) & (1 << (phrase & 7))) !== 0) verify(phrase, position);
      }
      before = last;
      last = hash;
    }
    return longWords;
  }
}

export function wordHash(word: string): number {
  let hash = 0;
  for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** Hashes a phrase of one to three words into 32 bits. */
export function phraseHash(hashes: number[]): number {
  let sum = 0;
  for (const hash of hashes) sum = (Math.imul(sum, 31) + hash) | 0;
  return mix(sum ^ (hashes.length === 1 ? SINGLE : hashes.length === 2 ? DOUBLE : TRIPLE));
}

/** Spreads a sum over all 32 bits. */
export function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

function holdsLiteral(bytes: Buffer, literal: { lines: Buffer[]; longest: Buffer }): boolean {
  const around = literal.lines.reduce((sum, line) => sum + line.length, 1024);
  for (let at = bytes.indexOf(literal.longest); at >= 0; at = bytes.indexOf(literal.longest, at + 1)) {
    const near = bytes.subarray(Math.max(0, at - around), at + around);
    let position = 0;
    const inOrder = literal.lines.every((line) => {
      const found = near.indexOf(line, position);
      position = found + line.length;
      return found >= 0;
    });
    if (inOrder) return true;
  }
  return false;
}
