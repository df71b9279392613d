import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runGit } from './run-git.ts';

/** Lines `before` .. `before + beforeCount` (from 0) become lines `after` .. `after + afterCount`; context included. */
export interface Hunk { before: number; beforeCount: number; after: number; afterCount: number }

const BINARY_PROBE = 8_000;
const NO_LINES: Buffer[] = [];

/** Git's rule: a NUL near the beginning. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, BINARY_PROBE).includes(0);
}

/** The hunks, with three lines of context, that lead from one text to another. */
export async function textHunks(before: Buffer, after: Buffer): Promise<Hunk[]> {
  if (before.equals(after)) return [];
  const directory = await mkdtemp(join(tmpdir(), 'assay-hunks-'));
  try {
    await writeFile(join(directory, 'before'), before);
    await writeFile(join(directory, 'after'), after);
    const args = ['diff', '--no-index', '--text', '--no-color', '--no-ext-diff', '--no-textconv', '-U3', '--', 'before', 'after'];
    return parseHunks(await runGit(null, args, { cwd: directory, exitCodes: [0, 1] }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Content lines begin with a blank, `+`, `-` or `\`, so a line that begins with `@@` is a header. */
function parseHunks(diff: Buffer): Hunk[] {
  const hunks: Hunk[] = [];
  for (const match of diff.toString('latin1').matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
    const [beforeCount, afterCount] = [Number(match[2] ?? 1), Number(match[4] ?? 1)];
    // An empty side is numbered by the line before it.
    hunks.push({
      before: Number(match[1]) - (beforeCount === 0 ? 0 : 1), beforeCount, after: Number(match[3]) - (afterCount === 0 ? 0 : 1), afterCount,
    });
  }
  return hunks;
}

/** The text before, with only these of its hunks applied. */
export function applyHunks(before: Buffer, after: Buffer, hunks: readonly Hunk[]): Buffer {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)];
  const result: Buffer[] = [];
  let position = 0;
  for (const hunk of hunks) {
    result.push(...oldLines.slice(position, hunk.before), ...newLines.slice(hunk.after, hunk.after + hunk.afterCount));
    position = hunk.before + hunk.beforeCount;
  }
  return Buffer.concat([...result, ...oldLines.slice(position)]);
}

/** Lines with their ends, as bytes: nothing is decoded or converted. */
function linesOf(content: Buffer): Buffer[] {
  if (content.length === 0) return NO_LINES;
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf('\n', start);
    const next = end === -1 ? content.length : end + 1;
    lines.push(content.subarray(start, next));
    start = next;
  }
  return lines;
}
