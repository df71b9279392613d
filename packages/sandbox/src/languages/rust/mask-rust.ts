/**
 * The source with comments and the inside of literals as spaces, of the same length, so that braces and names in it are
 * real ones. By hand and in one pass, as the text is foreign.
 */
export function maskRust(source: string): string {
  const out: string[] = [];
  const blank = (to: number): void => {
    for (; at < to; at += 1) out.push(source[at] === '\n' ? '\n' : ' ');
  };
  let at = 0;
  while (at < source.length) {
    const end = endOfHidden(source, at);
    if (end > at) blank(Math.min(end, source.length));
    else out.push(source[at++] ?? '');
  }
  return out.join('');
}

/** Returns the end of the comment or literal that starts here; `at` when none does. */
function endOfHidden(source: string, at: number): number {
  const two = source.slice(at, at + 2);
  if (two === '//') return lineEnd(source, at);
  if (two === '/*') return endOfComment(source, at);
  const raw = /^b?r(#{0,20})"/.exec(source.slice(at, at + 24));
  if (raw && !/\w/.test(source[at - 1] ?? '')) {
    const end = source.indexOf(`"${raw[1] ?? ''}`, at + raw[0].length);
    return end === -1 ? source.length : end + 1 + (raw[1] ?? '').length;
  }
  if (two.startsWith('"')) return endOfQuoted(source, at);
  // A lifetime has no quote after its first letter.
  return two.startsWith("'")
    ? at + (/^'(?:\\[^\n]{1,10}?|[^\\'\n]{1,2})'/u.exec(source.slice(at, at + 16))?.[0].length ?? 0)
    : at;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end === -1 ? source.length : end;
}

/** Comments nest. */
function endOfComment(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    const two = source.slice(at, at + 2);
    if (two !== '/*' && two !== '*/') continue;
    depth += two === '/*' ? 1 : -1;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return source.length;
}

function endOfQuoted(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '"') return at + 1;
  }
  return source.length;
}
