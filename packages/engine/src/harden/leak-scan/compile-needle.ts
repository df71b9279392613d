import type { LeakNeedle } from './needle.ts';
import { gapPunctuation, wordSpans } from './words.ts';

/** A needle as a sequence of words. Lines without a word (`});`) belong to the joint beside them. */
export interface CompiledNeedle {
  needle: LeakNeedle;
  /** The lines that have words. */
  lines: CompiledLine[];
  /** Punctuation between line `i` and `i + 1` of `lines`. */
  joints: string[];
  /** Punctuation before the first and after the last word. */
  head: string;
  tail: string;
  /** How far a copy may reach before and after any of its words. */
  reach: number;
}

export interface CompiledLine {
  words: string[];
  /** Punctuation after each word but the last. */
  gaps: string[];
}

/** One to three consecutive words of a line that give the first sign of a needle. */
export interface Anchor {
  words: string[];
  line: number;
  /** Index in its line of the last of the words. */
  word: number;
}

/** Compiles a needle. Returns null when its lines have no words at all; then only their bytes can be searched for. */
export function compileNeedle(needle: LeakNeedle): CompiledNeedle | null {
  const lines: CompiledLine[] = [];
  const joints: string[] = [];
  let pending = '';
  let reach = 0;
  for (const text of needle.lines) {
    const bytes = Buffer.from(text, 'utf8');
    reach += bytes.length;
    const { starts, ends } = wordSpans(bytes, 0, bytes.length);
    const first = starts[0];
    const last = ends.at(-1);
    if (first === undefined || last === undefined) {
      pending += bytes.toString('latin1');
      continue;
    }
    joints.push(gapPunctuation(`${pending}${bytes.toString('latin1', 0, first)}`));
    pending = bytes.toString('latin1', last);
    lines.push({
      words: starts.map((start, index) => bytes.toString('latin1', start, ends[index])),
      gaps: starts.slice(1).map((start, index) => gapPunctuation(bytes.toString('latin1', ends[index], start))),
    });
  }
  const head = joints.shift();
  if (head === undefined) return null;
  return { needle, lines, joints, head, tail: gapPunctuation(pending), reach: 4 * reach + 2048 };
}

/**
 * Chooses the words of a needle that are least likely to appear elsewhere: long ones inside a line, where nothing can
 * stick to them.
 */
export function chooseAnchor(compiled: CompiledNeedle): Anchor {
  let best: Anchor = { words: compiled.lines[0]?.words.slice(0, 1) ?? [], line: 0, word: 0 };
  let bestScore = -1;
  for (const [line, { words }] of compiled.lines.entries()) {
    const width = Math.min(3, words.length);
    for (let end = width - 1; end < words.length; end += 1) {
      const anchor = words.slice(end - width + 1, end + 1);
      const inside = end - width + 1 > 0 && end < words.length - 1;
      const score = anchor.join('').length + 8 * width + (inside ? 24 : 0);
      if (score <= bestScore) continue;
      bestScore = score;
      best = { words: anchor, line, word: end };
    }
  }
  return best;
}
