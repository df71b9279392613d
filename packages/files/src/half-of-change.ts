import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatch, structuredPatch, type StructuredPatch } from 'diff';
import type { ChangeSet, FileChange } from './change-set.ts';

/**
 * Lines removed and added in one file, beyond which it counts as one hunk: the time to find hunks grows with their
 * square.
 */
const MAX_EDITS = 2_000;

/**
 * The first half of a change's hunks, over the files of T0; null when it has only one. A new, binary or deleted file is
 * one hunk, and so is one that is rewritten in thousands of lines. Bytes are kept: files are handled as Latin-1.
 */
export async function halfOfChange(t0Directory: string, change: ChangeSet): Promise<ChangeSet | null> {
  const patches = await Promise.all(
    change.files.map(async (file) => ({ file, ...(await patchOf(t0Directory, file)) })),
  );
  const total = patches.reduce((sum, { patch }) => sum + (patch?.hunks.length ?? 1), 0) + change.deleted.length;
  let left = Math.floor(total / 2);
  if (left === 0) return null;
  const half: ChangeSet = { files: [], deleted: [] };
  for (const { file, patch, before } of patches) {
    if (left <= 0) break;
    const taken = Math.min(left, patch?.hunks.length ?? 1);
    left -= taken;
    if (!patch || taken === patch.hunks.length) half.files.push(file);
    else half.files.push({ ...file, content: applyHunks(before, patch, taken) });
  }
  half.deleted = change.deleted.slice(0, Math.max(0, left));
  return half;
}

async function patchOf(
  t0Directory: string,
  file: FileChange,
): Promise<{ before: string; patch: StructuredPatch | null }> {
  const path = join(t0Directory, file.path);
  const entry = await lstat(path).catch(() => null);
  if (!entry?.isFile() || file.content.includes(0)) return { before: '', patch: null };
  const before = (await readFile(path)).toString('latin1');
  const patch = structuredPatch('a', 'b', before, file.content.toString('latin1'), undefined, undefined, {
    context: 0,
    maxEditLength: MAX_EDITS,
  });
  return { before, patch: patch ?? null };
}

function applyHunks(before: string, patch: StructuredPatch, count: number): Buffer {
  const applied = applyPatch(
    before,
    { ...patch, hunks: patch.hunks.slice(0, count) },
    { autoConvertLineEndings: false },
  );
  return Buffer.from(applied === false ? before : applied, 'latin1');
}
