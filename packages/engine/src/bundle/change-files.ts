import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { unsafePathReason } from '@assay/files/safe-path';
import { listBundle, printable } from './bundle-files.ts';

const Paths = z.array(z.string());

/**
 * Writes a change into a directory of a bundle: `files/**` with the new contents, and lists of paths in `deleted.json`
 * and `executable.json`. Modes are set on disk as well, but only for people: archives of bundles lose them.
 */
export async function writeChangeFiles(directory: string, change: ChangeSet): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const file of change.files) {
    const target = join(directory, 'files', checkPath(directory, file.path));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, file.content, { flag: 'wx' });
    await chmod(target, file.executable ? 0o755 : 0o644);
  }
  for (const path of change.deleted) checkPath(directory, path);
  const executable = change.files.filter((file) => file.executable).map((file) => file.path);
  await writePaths(join(directory, 'deleted.json'), change.deleted);
  await writePaths(join(directory, 'executable.json'), executable);
}

/** Reads the files that {@link writeChangeFiles} wrote. Throws as {@link listChangeFiles} does. */
export async function readChangeFiles(directory: string): Promise<ChangeSet> {
  const { paths, executable, deleted } = await listChangeFiles(directory);
  const files = paths.map(async (path) => ({
    path,
    content: await readFile(join(directory, 'files', path)),
    executable: executable.has(path),
  }));
  return { files: await Promise.all(files), deleted };
}

/**
 * Reads a written change without its contents. Throws `TASK_UNSAFE` for a path that leads out of the repository and
 * `TASK_INVALID` for a broken list.
 */
export async function listChangeFiles(
  directory: string,
): Promise<{ paths: string[]; executable: Set<string>; deleted: string[] }> {
  const deleted = await readPaths(directory, 'deleted.json');
  const executable = new Set(await readPaths(directory, 'executable.json'));
  const files = (await listBundle(directory)).map((file) => file.path).filter((path) => path.startsWith('files/'));
  return { paths: files.map((path) => checkPath(directory, path.slice('files/'.length))), executable, deleted };
}

/** Returns a path inside a repository and outside its `.git` unchanged; throws `TASK_UNSAFE` for any other. */
export function checkPath(bundle: string, path: string): string {
  const reason = unsafePathReason(path);
  if (reason !== null)
    throw new AssayError('TASK_UNSAFE', {
      path: bundle,
      detail: `it holds a change of ${printable(path.slice(0, 200))}: ${reason}`,
    });
  return path;
}

async function writePaths(file: string, paths: string[]): Promise<void> {
  await writeFile(file, `${JSON.stringify([...paths].sort(), null, 1)}\n`);
}

async function readPaths(directory: string, name: string): Promise<string[]> {
  const file = join(directory, name);
  const invalid = (detail: string): AssayError =>
    new AssayError('TASK_INVALID', { file, line: 1, field: name, detail });
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new AssayError('TASK_INVALID', { file, line: 1, field: name, detail: 'is missing' }, { cause: error });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('is no JSON');
  }
  const paths = Paths.safeParse(value);
  if (!paths.success) throw invalid('must be a list of paths');
  return paths.data.map((path) => checkPath(directory, path));
}
