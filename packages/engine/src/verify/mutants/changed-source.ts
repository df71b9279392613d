import { structuredPatch } from 'diff';
import { readRegularFileBelow } from '@assay/files/read-regular-file';
import type { ChangeSet, FileChange } from '@assay/files/change-set';
import type { MutableSource, SourceMutant } from '../../ecosystems/mutate-facet.ts';

/** A text file of a change, with the lines that the change adds or alters. */
export interface ChangedSource extends MutableSource {
  file: FileChange;
  /** The number of the hunk that a line belongs to, by line. */
  hunkOf: ReadonlyMap<number, number>;
}

/** Differences in one file beyond which it counts as new: the time to find them grows with their square. */
const MAX_EDITS = 2_000;

/** Reads the files of a change that are code, with each of their hunks put back as a proposed mutant. */
export function changedSources(change: ChangeSet, t0Directory: string, codeFiles: RegExp): ChangedSource[] {
  return change.files.flatMap((file) => {
    const text = codeFiles.test(file.path) ? utf8(file.content) : null;
    if (text === null) return [];
    const old = readRegularFileBelow(t0Directory, file.path);
    return [changedSource(file, text, old && utf8(old))];
  });
}

function changedSource(file: FileChange, text: string, before: string | null): ChangedSource {
  const patch =
    before === null
      ? undefined
      : structuredPatch('a', 'b', before, text, undefined, undefined, { context: 0, maxEditLength: MAX_EDITS });
  const hunkOf = new Map<number, number>();
  const starts = lineStarts(text);
  const offset = (line: number): number => starts[line - 1] ?? text.length;
  const proposed: SourceMutant[] = [];
  if (!patch) starts.forEach((_, index) => hunkOf.set(index + 1, 0));
  for (const [number, { newStart, newLines, lines }] of (patch?.hunks ?? []).entries()) {
    for (let line = newStart; line < newStart + newLines; line += 1) hunkOf.set(line, number);
    // A hunk that adds nothing stands behind its line.
    const start = offset(newLines === 0 ? newStart + 1 : newStart);
    const end = newLines === 0 ? start : offset(newStart + newLines);
    const old = lines.filter((line) => line.startsWith('-')).map((line) => `${line.slice(1)}\n`);
    proposed.push({ kind: 'hunk', edits: [{ start, end, text: old.join('') }] });
  }
  return { file, path: file.path, text, lines: new Set(hunkOf.keys()), proposed, hunkOf };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function utf8(content: Buffer): string | null {
  try {
    return content.includes(0) ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
