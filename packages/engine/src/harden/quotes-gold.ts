import { addedRuns, decodeText, normaliseLine, splitLines } from './added-lines.ts';
import type { ChangeSet } from '@assay/files/change-set';

/** Shorter lines (`return None`) appear in many texts that quote nothing. */
const MIN_LINE = 16;
/** Minimum length of test data quoted word for word. Shorter data may belong to the symptom. */
const MIN_LITERAL = 60;

/** Whether a line is code that would reveal the solution, as opposed to prose, a bracket or a single word. */
export function isCodeLike(line: string): boolean {
  const text = normaliseLine(line);
  if (text.length < MIN_LINE || /^(?:#|\/\/|\*|\/\*|"""|''')/.test(text)) return false;
  return /[=(){}[\]<>;]|\w\.\w+\(|->|::/.test(text) && (text.match(/[A-Za-z_]\w+/g) ?? []).length >= 2;
}

/** Whether a text with normalised white space holds a line of code, up to a final comma, colon or semicolon. */
export function quotesLine(normalisedText: string, line: string): boolean {
  return normalisedText.includes(
    normaliseLine(line)
      .replace(/[,;:{]+$/, '')
      .trimEnd(),
  );
}

/**
 * Lists the added lines of a change, and the long string literals in them, that a text quotes. `before` returns the
 * content of a path at T0; without it, every line of the changed files counts as added.
 */
export function quotesGold(text: string, change: ChangeSet, before?: (path: string) => Buffer | null): string[] {
  const normalised = normaliseLine(text);
  const quoted = new Set<string>();
  for (const file of change.files) {
    const content = decodeText(file.content);
    if (content === null) continue;
    const old = before?.(file.path) ?? null;
    const lines = old === null ? splitLines(content) : addedRuns(decodeText(old), content).flatMap((run) => run.lines);
    for (const line of lines) {
      if (isCodeLike(line) && quotesLine(normalised, line)) quoted.add(normaliseLine(line));
      for (const [, , literal] of line.matchAll(/(["'`])((?:(?!\1)[^\\]|\\.){60,})\1/g)) {
        if (literal !== undefined && literal.length >= MIN_LITERAL && normalised.includes(normaliseLine(literal)))
          quoted.add(literal);
      }
    }
  }
  return [...quoted];
}
