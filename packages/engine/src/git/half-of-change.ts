import type { ChangeSet, FileChange } from '../files/change-set.ts';
import type { ChangedFile } from './changed-files.ts';
import { findEntry, type Repository } from './repository.ts';
import { applyHunks, isBinary, textHunks, type Hunk } from './text-hunks.ts';

/**
 * The hunks of a changed text file, of its whole content when it was added or deleted; none for binary files and for what is no file.
 * Throws `MISSING_OBJECT`.
 */
export async function hunksOf(repository: Repository, file: ChangedFile): Promise<Hunk[]> {
  const isFile = (side: ChangedFile['before']): boolean => side === null || side.kind === 'file' || side.kind === 'executable';
  if (!isFile(file.before) || !isFile(file.after)) return [];
  const contentOf = async (side: ChangedFile['before']): Promise<Buffer> => (side ? repository.objects.readTyped(side.oid, 'blob') : Buffer.alloc(0));
  const [before, after] = [await contentOf(file.before), await contentOf(file.after)];
  return isBinary(before) || isBinary(after) ? [] : textHunks(before, after);
}

/** One step of a change: so many of them, in a file or as a deletion. */
interface Part {
  steps: number;
  /** The change with only the first `count` steps of this part. */
  take(count: number): ChangeSet;
}

/**
 * The first half of a change: of its hunks, file by file in the order of their paths, over the content of the parent. An added, deleted or
 * binary file counts as one hunk. `null` when there is only one, or none.
 */
export async function halfOfChange(repository: Repository, parent: string, change: ChangeSet): Promise<ChangeSet | null> {
  const parts: Part[] = [];
  const steps = [...change.files.map((file) => ({ path: file.path, file })), ...change.deleted.map((path) => ({ path, file: null }))];
  steps.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  for (const { path, file } of steps) parts.push(file ? await partOfFile(repository, parent, file) : partOfDeletion(path));
  const total = parts.reduce((sum, part) => sum + part.steps, 0);
  if (total < 2) return null;
  let left = Math.floor(total / 2);
  const half: ChangeSet = { files: [], deleted: [] };
  for (const part of parts) {
    const count = Math.min(left, part.steps);
    left -= count;
    if (count === 0) continue;
    const taken = part.take(count);
    half.files.push(...taken.files);
    half.deleted.push(...taken.deleted);
  }
  return half;
}

async function partOfFile(repository: Repository, parent: string, file: FileChange): Promise<Part> {
  const entry = await findEntry(repository, parent, file.path);
  const before = entry && entry.kind !== 'tree' && entry.kind !== 'gitlink' ? await repository.objects.readTyped(entry.oid, 'blob') : null;
  const hunks = before && !isBinary(before) && !isBinary(file.content) ? await textHunks(before, file.content) : [];
  if (before === null || hunks.length < 2) return { steps: 1, take: () => ({ files: [file], deleted: [] }) };
  return {
    steps: hunks.length,
    take: (count) => ({ files: [{ ...file, content: count === hunks.length ? file.content : applyHunks(before, file.content, hunks.slice(0, count)) }], deleted: [] }),
  };
}

function partOfDeletion(path: string): Part {
  return { steps: 1, take: () => ({ files: [], deleted: [path] }) };
}
