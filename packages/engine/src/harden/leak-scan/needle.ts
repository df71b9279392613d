import { addedRuns, decodeText, normaliseLine } from '../added-lines.ts';
import type { ChangeSet } from '@assay/files/change-set';

/** Three consecutive added lines that must not appear in anything an agent can read. */
export interface LeakNeedle {
  /** Origin of the lines: `reference:src/a.py`, `test:tests/test_a.py`. */
  origin: string;
  /** The lines with normalised white space; blank ones are skipped. */
  lines: [string, string, string];
}

/** Shorter runs say too little to be called a copy. Counts the three lines joined by one character. */
export const MIN_NEEDLE_LENGTH = 80;

/**
 * Limit per file. In larger ones (data files), windows are taken at even distances: a copy of the file still holds
 * thousands of them.
 */
const MAX_NEEDLES_PER_FILE = 20_000;

/**
 * A line that only brings names into scope. Three of these are not part of an answer, and every project has the same
 * ones.
 */
const IMPORT =
  /^(?:(?:from\s+[\w.]+\s+)?import\b.*|(?:const|let|var)\s+[\w{}\s,:$]+=\s*require\(\s*['"][^'"]+['"]\s*\);?|export\s+\*\s+from\s.*|['"]use strict['"];?|#include\s.*|use\s+[\w:]+;)$/;

/**
 * Lists the windows of three consecutive added lines of a change that are long enough to be recognised. `t0` returns
 * the content of a path before the change. Windows that also appear elsewhere in T0 are still included; see
 * `leakNeedles`.
 */
export function candidateNeedles(
  change: ChangeSet,
  t0: (path: string) => Buffer | null,
  kind: 'reference' | 'test',
): LeakNeedle[] {
  const seen = new Set<string>();
  const needles: LeakNeedle[] = [];
  for (const file of change.files) {
    const after = decodeText(file.content);
    if (after === null) continue;
    const old = t0(file.path);
    const windows = addedRuns(old === null ? null : decodeText(old), after).flatMap((run) => windowsOf(run.lines));
    for (const lines of thinOut(windows)) {
      const key = lines.join('\n');
      if (seen.has(key)) continue;
      seen.add(key);
      needles.push({ origin: `${kind}:${file.path}`, lines });
    }
  }
  return needles;
}

function windowsOf(run: string[]): LeakNeedle['lines'][] {
  const lines = run.map(normaliseLine).filter((line) => line !== '');
  const windows: LeakNeedle['lines'][] = [];
  for (let index = 0; index + 2 < lines.length; index += 1) {
    const [first, second, third] = lines.slice(index, index + 3);
    if (first === undefined || second === undefined || third === undefined) continue;
    if (first.length + second.length + third.length + 2 < MIN_NEEDLE_LENGTH) continue;
    if (IMPORT.test(first) && IMPORT.test(second) && IMPORT.test(third)) continue;
    windows.push([first, second, third]);
  }
  return windows;
}

function thinOut(windows: LeakNeedle['lines'][]): LeakNeedle['lines'][] {
  if (windows.length <= MAX_NEEDLES_PER_FILE) return windows;
  const step = windows.length / MAX_NEEDLES_PER_FILE;
  return Array.from({ length: MAX_NEEDLES_PER_FILE }, (_, index) => windows[Math.floor(index * step)]).filter(
    (window) => window !== undefined,
  );
}
