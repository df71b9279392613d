import { harmlessText } from '@assay/protocol/harmless-text';

/** Characters of one line that stay. */
const MOST_CHARACTERS = 1000;

/**
 * Foreign text as lines that are safe on a terminal. Of a long text, `head` lines of the beginning and `tail` of the
 * end, and of a long line the beginning; what is left out is counted. Null folds nothing.
 */
export function foldText(text: string, fold: { head: number; tail: number } | null): string[] {
  const lines = harmlessText(text.trimEnd()).split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  if (fold === null) return lines;
  const hidden = lines.length - fold.head - fold.tail;
  const kept =
    hidden > 1
      ? [...lines.slice(0, fold.head), `… ${hidden} lines …`, ...lines.slice(lines.length - fold.tail)]
      : lines;
  return kept.map((line) =>
    line.length > MOST_CHARACTERS
      ? `${line.slice(0, MOST_CHARACTERS).toWellFormed()} … ${line.length - MOST_CHARACTERS} characters …`
      : line,
  );
}
