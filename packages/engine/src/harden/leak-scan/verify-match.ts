import type { CompiledLine, CompiledNeedle } from './compile-needle.ts';
import { gapPunctuation, wordSpans, type WordSpans } from './words.ts';

/**
 * Limit on words between two lines of a copy: file names, line numbers, times or authors that a log, a blame or a dump
 * puts before each line.
 */
const MAX_PREFIX_WORDS = 16;
const MAX_JOINT_BYTES = 512;
/** Limit on bytes of a binary format (a type, a length) that read as letters. */
const MAX_STUCK = 3;

interface Region extends WordSpans {
  bytes: Buffer;
  binary: boolean;
}

/** Whether `bytes` holds the needle such that the given word of the given line ends at `end`. */
export function verifyAt(
  { bytes, kind, end }: { bytes: Buffer; kind: 'text' | 'binary'; end: number },
  needle: CompiledNeedle,
  anchor: { line: number; word: number },
): boolean {
  const line = needle.lines[anchor.line];
  if (line === undefined) return false;
  const from = Math.max(0, end - needle.reach);
  // Most places that pass the filter fail here: the rest of the anchor's own line differs.
  const near = wordSpans(bytes, end, Math.min(bytes.length, end + 256));
  for (
    let index = anchor.word + 1;
    index < line.words.length - 1 && index - anchor.word - 1 < near.starts.length - 1;
    index += 1
  ) {
    const at = index - anchor.word - 1;
    if (!sameBytes(bytes, near.starts[at] ?? 0, near.ends[at] ?? 0, line.words[index] ?? '')) return false;
  }

  const spans = wordSpans(bytes, resynchronise(bytes, from), Math.min(bytes.length, end + needle.reach));
  const region: Region = { bytes, binary: kind === 'binary', ...spans };
  const anchorIndex = spans.ends.indexOf(end);
  if (anchorIndex < 0) return false;
  const first = anchorIndex - anchor.word;
  if (!lineAt(region, first, line)) return false;
  return (
    upwards(region, needle, anchor.line, first) && downwards(region, needle, anchor.line, first + line.words.length - 1)
  );
}

/** Moves past the nearest white space, if any is near, so as not to start inside a word or an escape. */
function resynchronise(bytes: Buffer, from: number): number {
  if (from === 0) return 0;
  for (let position = from; position < from + 256 && position < bytes.length; position += 1)
    if ((bytes[position] ?? 0) <= 32) return position;
  return from;
}

function sameBytes(bytes: Buffer, start: number, end: number, word: string): boolean {
  if (end - start !== word.length) return false;
  for (let index = 0; index < word.length; index += 1)
    if (bytes[start + index] !== word.charCodeAt(index)) return false;
  return true;
}

function lineAt(region: Region, first: number, line: CompiledLine): boolean {
  if (first < 0 || first + line.words.length > region.starts.length) return false;
  const last = line.words.length - 1;
  for (const [index, word] of line.words.entries()) {
    if (!wordAt(region, first + index, { word, isFirst: index === 0, isLast: index === last })) return false;
    if (index < last && gapAfter(region, first + index, 1) !== line.gaps[index]) return false;
  }
  return true;
}

function wordAt(
  region: Region,
  index: number,
  { word, isFirst, isLast }: { word: string; isFirst: boolean; isLast: boolean },
): boolean {
  const start = region.starts[index] ?? 0;
  const end = region.ends[index] ?? 0;
  if (sameBytes(region.bytes, start, end, word)) return true;
  if (!region.binary || word.length < 2) return false;
  const stuck = end - start - word.length;
  if (stuck < 1 || stuck > MAX_STUCK) return false;
  return (
    (isFirst && sameBytes(region.bytes, start + stuck, end, word)) ||
    (isLast && sameBytes(region.bytes, start, end - stuck, word))
  );
}

function gapText(region: Region, index: number, distance: number): string {
  const from = index < 0 ? Math.max(0, (region.starts[0] ?? 0) - MAX_JOINT_BYTES) : (region.ends[index] ?? 0);
  const to =
    index + distance < region.starts.length
      ? (region.starts[index + distance] ?? 0)
      : Math.min(region.bytes.length, from + MAX_JOINT_BYTES);
  return region.bytes.toString('latin1', from, to);
}

function gapAfter(region: Region, index: number, distance: number): string {
  return gapPunctuation(gapText(region, index, distance));
}

function upwards(region: Region, needle: CompiledNeedle, below: number, start: number): boolean {
  if (below === 0) return holdsInOrder(gapText(region, start - 1, 1), needle.head, region.binary);
  const line = needle.lines[below - 1];
  if (line === undefined) return false;
  for (let extra = 0; extra <= MAX_PREFIX_WORDS; extra += 1) {
    const last = start - 1 - extra;
    const first = last - line.words.length + 1;
    if (first < 0) return false;
    if (!jointFits(region, last, start, needle.joints[below - 1] ?? '')) continue;
    if (lineAt(region, first, line) && upwards(region, needle, below - 1, first)) return true;
  }
  return false;
}

function downwards(region: Region, needle: CompiledNeedle, above: number, last: number): boolean {
  const line = needle.lines[above + 1];
  if (line === undefined) return holdsInOrder(gapText(region, last, 1), needle.tail, region.binary);
  for (let extra = 0; extra <= MAX_PREFIX_WORDS; extra += 1) {
    const first = last + 1 + extra;
    if (first >= region.starts.length) return false;
    if (!jointFits(region, last, first, needle.joints[above] ?? '')) continue;
    if (lineAt(region, first, line) && downwards(region, needle, above + 1, first + line.words.length - 1)) return true;
  }
  return false;
}

/** Whether a joint fits. Words may come between two lines only where a new line, or a record of a binary, begins. */
function jointFits(region: Region, last: number, first: number, punctuation: string): boolean {
  const text = gapText(region, last, first - last);
  if (text.length > MAX_JOINT_BYTES) return false;
  if (first - last > 1 && !/[\0-\x08\n-\x1f]|\\+[nr0]|<br|&#1[03];/.test(text)) return false;
  return holdsInOrder(text, punctuation, region.binary);
}

/** Whether a text holds punctuation in order. A binary holds the values of literals without their quotes and commas. */
function holdsInOrder(text: string, punctuation: string, binary: boolean): boolean {
  if (binary || punctuation === '') return true;
  const given = gapPunctuation(text);
  let position = 0;
  for (const character of punctuation) {
    position = given.indexOf(character, position) + 1;
    if (position === 0) return false;
  }
  return true;
}
