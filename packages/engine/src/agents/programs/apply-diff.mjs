// Applies a unified diff as models write them: line numbers are hints, white space at the ends of lines may differ.

/**
 * @param {string} diff
 * @param {(path: string) => string | null} read null: there is no such file
 * @returns {{path: string, content: string | null}[]} null: the file goes
 * Throws when a piece fits nowhere.
 */
export function applyDiff(diff, read) {
  return parseDiff(diff).flatMap(({ from, to, hunks }) => {
    if (to === null) return from === null ? [] : [{ path: from, content: null }];
    const before = from === null ? '' : read(from);
    if (before === null) throw new Error(`there is no ${from}`);
    const moved = from !== null && from !== to ? [{ path: from, content: null }] : [];
    return [...moved, { path: to, content: applyHunks(before, hunks, to) }];
  });
}

function parseDiff(diff) {
  const lines = diff.replaceAll('\r\n', '\n').split('\n');
  const files = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ')) {
      files.push({ from: nameOf(line), to: nameOf(lines[at + 1]), hunks: [] });
      at += 1;
    } else if (line.startsWith('@@') && files.length > 0) {
      const start = Number(/^@@ -(\d+)/.exec(line)?.[1] ?? 1);
      files.at(-1).hunks.push({ start, lines: [] });
    } else if (files.at(-1)?.hunks.length > 0 && /^(?:[ +-]|$)/.test(line)) {
      files
        .at(-1)
        .hunks.at(-1)
        .lines.push(line === '' ? ' ' : line);
    }
  }
  return files;
}

function nameOf(line) {
  const name = line.slice(4).split('\t')[0].trim();
  return name === '/dev/null' ? null : name.replace(/^[ab]\//, '').replace(/^\/workspace\//, '');
}

function applyHunks(before, hunks, path) {
  let lines = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  let shift = 0;
  for (const { start, lines: piece } of hunks) {
    // Empty lines at the end are the text between two pieces more often than context.
    while (piece.at(-1) === ' ') piece.pop();
    const old = piece.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
    const at = find(lines, old, start - 1 + shift);
    if (at === -1) throw new Error(`a piece of the diff fits nowhere in ${path}: ${old.slice(0, 3).join(' / ')}`);
    let inOld = at;
    const fresh = piece.flatMap((line) => {
      if (line.startsWith('+')) return [line.slice(1)];
      inOld += 1;
      return line.startsWith('-') ? [] : [lines[inOld - 1]];
    });
    lines = [...lines.slice(0, at), ...fresh, ...lines.slice(at + old.length)];
    shift += fresh.length - old.length;
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** The place nearest to the hint where all lines stand, at first exactly. */
function find(lines, wanted, hint) {
  if (wanted.length === 0) return Math.max(0, Math.min(hint + 1, lines.length));
  for (const same of [(a, b) => a === b, (a, b) => a.trimEnd() === b.trimEnd(), (a, b) => a.trim() === b.trim()]) {
    const places = lines
      .map((_, at) => at)
      .filter(
        (at) => at + wanted.length <= lines.length && wanted.every((line, index) => same(lines[at + index], line)),
      );
    if (places.length > 0)
      return places.reduce((best, at) => (Math.abs(at - hint) < Math.abs(best - hint) ? at : best));
  }
  return -1;
}
