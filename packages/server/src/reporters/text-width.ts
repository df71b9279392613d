import { stripVTControlCharacters } from 'node:util';

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });
const NARROW = /^[\u0020-\u007e]*$/;
const NO_WIDTH = /^[\p{Mark}\p{Control}\p{Format}\p{Surrogate}]/u;
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Script=Bopomofo}|[\u2329\u232a\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]|.\ufe0f)/u;

/** Columns that a text takes on a terminal. Colours take none. */
export function textWidth(text: string): number {
  const bare = stripVTControlCharacters(text);
  if (NARROW.test(bare)) return bare.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(bare)) width += graphemeWidth(segment);
  return width;
}

/** The beginning of a text without colours, at most `columns` wide; what is cut is marked by an ellipsis. */
export function truncateText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text filled up with blanks to `columns`. */
export function padText(text: string, columns: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, columns - textWidth(text)));
  return align === 'right' ? blanks + text : text + blanks;
}

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0;
  return WIDE.test(grapheme) ? 2 : 1;
}
