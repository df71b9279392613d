/** Consecutive added lines, as they stand in the file, in order. Blank lines are part of a run. */
export interface AddedRun {
  lines: string[];
}

/**
 * With more differences, the diff falls back to "not among the old lines", which costs no more than the length of the
 * files.
 */
const MAX_DIFFERENCES = 3000;

/** Collapses white space inside a line to single blanks and trims its ends. */
export function normaliseLine(line: string): string {
  return line.replace(/[\s\u00a0\ufeff]+/g, ' ').trim();
}

/**
 * Decodes UTF-8, or Latin-1 if that fails; returns null for binary content. A byte order mark is dropped; UTF-16 with a
 * mark is read as such.
 */
export function decodeText(content: Buffer): string | null {
  if (content[0] === 0xff && content[1] === 0xfe) return new TextDecoder('utf-16le').decode(content);
  if (content[0] === 0xfe && content[1] === 0xff) return new TextDecoder('utf-16be').decode(content);
  if (content.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return content.toString('latin1');
  }
}

/** Splits a text into lines without their ends, which are `\n`, `\r\n` or `\r`. There is no empty last line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/**
 * Returns the runs of lines that `after` has and `before` lacks, by a line diff that ignores white space: changed
 * indentation or line endings add nothing. `before` is null for a new file.
 */
export function addedRuns(before: string | null, after: string): AddedRun[] {
  const lines = splitLines(after);
  const added =
    before === null
      ? lines.map(() => true)
      : markAdded(splitLines(before).map(normaliseLine), lines.map(normaliseLine));
  const runs: AddedRun[] = [];
  let run: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (added[index] === true) run.push(line);
    else if (run.length > 0) {
      runs.push({ lines: run });
      run = [];
    }
  }
  if (run.length > 0) runs.push({ lines: run });
  return runs;
}

function markAdded(before: string[], after: string[]): boolean[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;

  const oldMiddle = before.slice(head, before.length - tail);
  const newMiddle = after.slice(head, after.length - tail);
  const middle = shortestEdit(oldMiddle, newMiddle) ?? notAmong(oldMiddle, newMiddle);
  return after.map((_, index) => index >= head && index < after.length - tail && middle[index - head] === true);
}

function notAmong(before: string[], after: string[]): boolean[] {
  const known = new Set(before);
  return after.map((line) => !known.has(line));
}

/**
 * Runs Myers' greedy algorithm. True marks an inserted line of `after`; null means that there are too many differences.
 */
function shortestEdit(before: string[], after: string[]): boolean[] | null {
  const limit = Math.min(before.length + after.length, MAX_DIFFERENCES);
  const offset = limit + 1;
  const furthest = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let distance = 0; distance <= limit; distance += 1) {
    trace.push(furthest.slice(offset - distance - 1, offset + distance + 2));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const down = goesDown(furthest, offset, diagonal, distance);
      let x = down ? (furthest[offset + diagonal + 1] ?? 0) : (furthest[offset + diagonal - 1] ?? 0) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      furthest[offset + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return insertions(trace, before.length, after.length);
    }
  }
  return null;
}

function goesDown(furthest: Int32Array, offset: number, diagonal: number, distance: number): boolean {
  if (diagonal === -distance) return true;
  if (diagonal === distance) return false;
  return (furthest[offset + diagonal - 1] ?? 0) < (furthest[offset + diagonal + 1] ?? 0);
}

function insertions(trace: Int32Array[], oldLength: number, newLength: number): boolean[] {
  const inserted = new Array<boolean>(newLength).fill(false);
  let x = oldLength;
  let y = newLength;
  for (let distance = trace.length - 1; distance > 0; distance -= 1) {
    const furthest = trace[distance];
    if (furthest === undefined) break;
    const offset = distance + 1;
    const diagonal = x - y;
    const down = goesDown(furthest, offset, diagonal, distance);
    const previous = down ? diagonal + 1 : diagonal - 1;
    x = furthest[offset + previous] ?? 0;
    y = x - previous;
    if (down) inserted[y] = true;
  }
  return inserted;
}
