import { addedRuns, decodeText } from '../../harden/added-lines.ts';

const MAX_FILE = 2 * 1024 * 1024;
const NOTE =
  /^(\s*)(?:\*\s+)?(?:\.\.\s+|```\{|:::\{)(version(?:added|changed)|deprecated|versionremoved)(?:::|\})\s*(\S+(?:\s+\([^)]*\))?)?\s*(.*)$/;

/** Reads the notes that a change adds to documentation or docstrings: `.. versionchanged:: 2.1` and its text. */
export function addedVersionNotes(before: Buffer | null, after: Buffer): string[] {
  if (after.length > MAX_FILE || (before?.length ?? 0) > MAX_FILE) return [];
  const [old, now] = [before === null ? '' : decodeText(before), decodeText(after)];
  if (old === null || now === null || !/(?:version(?:added|changed|removed)|deprecated)(?:::|\})/.test(now)) return [];
  return addedRuns(old, now).flatMap(({ lines }) => notesOf(lines));
}

function notesOf(lines: readonly string[]): string[] {
  const notes: string[] = [];
  for (const [index, line] of lines.entries()) {
    const match = NOTE.exec(line);
    if (!match) continue;
    const indent = match[1]?.length ?? 0;
    const below: string[] = [];
    for (const next of lines.slice(index + 1)) {
      const isInside = (/^\s*/.exec(next)?.[0].length ?? 0) > indent;
      if (next.trim() === '' ? below.length > 0 : !isInside) break;
      if (next.trim() !== '') below.push(next.trim());
    }
    const text = [match[4] ?? '', ...below].join(' ').trim();
    if (/[A-Za-z]{3}/.test(text)) notes.push(text);
  }
  return notes;
}
