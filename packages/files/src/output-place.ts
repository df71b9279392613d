import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AssayError } from '@assay/protocol';
import { diskFull, isDiskFull } from './disk-full.ts';

const WHY: Record<string, string> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such directory, or it takes nothing new',
  ENOTDIR: 'a part of its path is no directory',
  EISDIR: 'a directory is in the way',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EBUSY: 'it is in use, or the root of a file system',
  EXDEV: 'it is the root of a file system',
};

/**
 * Translates a system error at a path that a user named into `OUTPUT_UNWRITABLE` or `DISK_FULL`. Returns any other
 * error unchanged, so that `.catch((error) => { throw unwritable(path, error); })` hides none.
 */
export function unwritable(path: string, error: unknown): unknown {
  if (AssayError.is(error) || !(error instanceof Error && 'code' in error)) return error;
  if (isDiskFull(error)) return diskFull(path, error);
  const detail = WHY[String(error.code)];
  return detail === undefined ? error : new AssayError('OUTPUT_UNWRITABLE', { path, detail }, { cause: error });
}

/**
 * Lists a directory; a missing one is empty. Throws `OUTPUT_UNWRITABLE` when the path is not a directory or cannot be
 * read.
 */
export async function listOutput(path: string): Promise<string[]> {
  return await readdir(path).catch((error: unknown): string[] => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw isCode(error, 'ENOTDIR')
      ? new AssayError(
          'OUTPUT_UNWRITABLE',
          { path, detail: 'it, or a part of its path, is no directory' },
          { cause: error },
        )
      : unwritable(path, error);
  });
}

/**
 * Makes a directory and those above it. Throws `OUTPUT_UNWRITABLE` and `DISK_FULL`. Node's own recursive mkdir never
 * comes back from a place such as /proc/x, where the parent is there and takes no entry.
 */
export async function makeOutputDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    const missing: string[] = [];
    for (let place = resolve(path); !(await isDirectory(place)); place = dirname(place)) missing.push(place);
    for (const place of missing.reverse()) await makeOne(place, mode);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Another process may make it at the same moment. */
async function makeOne(place: string, mode: number): Promise<void> {
  await mkdir(place, { mode }).catch(async (error: unknown) => {
    if (!isCode(error, 'EEXIST')) throw error;
    if (!(await isDirectory(place)))
      throw new AssayError(
        'OUTPUT_UNWRITABLE',
        { path: place, detail: 'it is a link that leads nowhere' },
        { cause: error },
      );
  });
}

/** False only for what is not there. */
async function isDirectory(place: string): Promise<boolean> {
  const entry = await stat(place).catch((error: unknown) => {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    throw error;
  });
  if (entry !== null && !entry.isDirectory())
    throw new AssayError('OUTPUT_UNWRITABLE', { path: place, detail: 'it is no directory' });
  return entry !== null;
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
