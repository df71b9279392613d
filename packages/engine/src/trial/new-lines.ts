import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileChange } from '@assay/files/change-set';
import type { OpenT0 } from '../bundle/open-t0.ts';

/** Larger files, and more ranges, are left out. */
const MOST_BYTES = 1024 * 1024;
const MOST_RANGES = 2000;

/**
 * Lists the lines of a submitted file that T0's file of the same name has nowhere, as ranges from 1 with both ends;
 * undefined for large and for binary files.
 */
export async function newLines(
  { path, content }: FileChange,
  { t0Directory, t0 }: Pick<OpenT0, 't0Directory' | 't0'>,
): Promise<[number, number][] | undefined> {
  const before = t0.get(path);
  if (content.length > MOST_BYTES || content.includes(0) || (before && before.size > MOST_BYTES)) return undefined;
  const old = new Set(before ? linesOf(await readFile(join(t0Directory, path), 'utf8')) : []);
  const ranges: [number, number][] = [];
  for (const [index, line] of linesOf(content.toString('utf8')).entries()) {
    if (old.has(line)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else ranges.push([index + 1, index + 1]);
  }
  return ranges.length > MOST_RANGES ? undefined : ranges;
}

const linesOf = (text: string): string[] => text.split(/\r?\n/);
