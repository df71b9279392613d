/** Shorter lines stand in any program. */
const MIN_LINE = 8;
const MOST_SHARED = 0.6;

/** Whether most lines of a piece of code stand in a source as well, with whatever indentation. */
export function copiesFrom(code: string, source: string): boolean {
  const lines = linesOf(code);
  const known = new Set(linesOf(source));
  const shared = lines.filter((line) => known.has(line)).length;
  return lines.length > 0 && shared > MOST_SHARED * lines.length;
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line.length >= MIN_LINE);
