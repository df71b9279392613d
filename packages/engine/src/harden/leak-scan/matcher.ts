import { chooseAnchor, compileNeedle, type CompiledNeedle } from './compile-needle.ts';
import type { LeakNeedle } from './needle.ts';
import { verifyAt } from './verify-match.ts';
import { BYTE_CLASS, skipEscape, WORD } from './words.ts';

/** Words as they stand in text, or in a binary where a length byte may stick to the first or last word of a line. */
export type ViewKind = 'text' | 'binary';

interface Candidate {
  needle: number;
  line: number;
  word: number;
}

const FILTER_BITS = 22;
const FILTER_MASK = 2 ** FILTER_BITS - 1;
const SALTS = [0, 0x51ed270b, 0x2545f491, 0x3c6ef372];

/**
 * Finds needles in bytes. One pass hashes every word; a bitmap over the hashes of one, two and three words tells the few places
 * that are looked at closely, so the cost hardly depends on how many needles there are.
 */
export class LeakMatcher {
  readonly needles: LeakNeedle[];
  /** A match fits into this many bytes. */
  readonly span: number;
  readonly #compiled: (CompiledNeedle | null)[];
  readonly #anchors = new Map<number, Candidate[]>();
  readonly #filter = new Uint8Array(2 ** FILTER_BITS / 8);
  readonly #widths = new Set<number>();
  /** Needles without ASCII words, by the bytes of their longest line. */
  readonly #literals: { needle: number; lines: Buffer[]; longest: Buffer }[] = [];

  constructor(needles: LeakNeedle[]) {
    this.needles = needles;
    this.#compiled = needles.map(compileNeedle);
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
    const bit = hash & FILTER_MASK;
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

  /** Calls `found` with the index of each needle that stands in `bytes`, perhaps more than once. Returns the length of the longest word. */
  match(bytes: Buffer, kind: ViewKind, found: (needle: number) => void): number {
    const verify = (hash: number, end: number): void => {
      for (const candidate of this.#anchors.get(hash) ?? []) {
        const compiled = this.#compiled[candidate.needle];
        if (compiled && verifyAt(bytes, end, compiled, candidate, kind)) found(candidate.needle);
      }
    };
    for (const literal of this.#literals) if (holdsLiteral(bytes, literal)) found(literal.needle);
    if (this.#anchors.size === 0) return 0;
    return this.#hashWords(bytes, verify);
  }

  /** Kept as one plain loop over bytes: this is where all the time goes. */
  #hashWords(bytes: Buffer, verify: (hash: number, end: number) => void): number {
    const filter = this.#filter;
    const single = this.#widths.has(1);
    const double = this.#widths.has(2);
    const length = bytes.length;
    let longest = 0;
    let before = 0;
    let last = 0;
    let position = 0;
    while (position < length) {
      const kind = BYTE_CLASS[bytes[position] as number];
      if (kind !== WORD) {
        position = kind === 0 ? position + 1 : skipEscape(bytes, position);
        continue;
      }
      const start = position;
      let hash = 0;
      do {
        hash = Math.imul(hash ^ (bytes[position] as number), 0x01000193);
        position += 1;
      } while (position < length && BYTE_CLASS[bytes[position] as number] === WORD);
      hash ^= hash >>> 15;
      if (position - start > longest) longest = position - start;
      const two = Math.imul(last, 31) + hash;
      const three = mix((Math.imul(Math.imul(before, 31) + last, 31) + hash) ^ (SALTS[3] as number));
      if ((filter[(three & FILTER_MASK) >> 3] as number) & (1 << (three & 7))) verify(three, position);
      if (double) {
        const phrase = mix(two ^ (SALTS[2] as number));
        if ((filter[(phrase & FILTER_MASK) >> 3] as number) & (1 << (phrase & 7))) verify(phrase, position);
      }
      if (single) {
        const phrase = mix(hash ^ (SALTS[1] as number));
        if ((filter[(phrase & FILTER_MASK) >> 3] as number) & (1 << (phrase & 7))) verify(phrase, position);
      }
      before = last;
      last = hash;
    }
    return longest;
  }
}

function wordHash(word: string): number {
  let hash = 0;
  for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}

function phraseHash(hashes: number[]): number {
  let sum = 0;
  for (const hash of hashes) sum = Math.imul(sum, 31) + hash;
  return mix(sum ^ (SALTS[hashes.length] ?? 0));
}

function mix(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
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
