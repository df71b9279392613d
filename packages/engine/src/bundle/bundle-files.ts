import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError, replaceHarmful } from '@assay/protocol';

/** More than any bundle needs; a larger directory is not a bundle, or is meant to exhaust its reader. */
export const BUNDLE_LIMITS: BundleLimits = {
  files: 50_000,
  fileBytes: 2 * 1024 ** 3,
  totalBytes: 8 * 1024 ** 3,
  depth: 64,
};

export interface BundleLimits {
  files: number;
  fileBytes: number;
  totalBytes: number;
  depth: number;
}

export interface BundleFile {
  /** Path relative to the bundle, with POSIX slashes. */
  path: string;
  size: number;
  /** Equal for two names of the same inode. */
  inode: string;
}

/**
 * Lists every regular file of a bundle, sorted by the bytes of its path. Throws `TASK_UNSAFE` when the bundle holds
 * anything but files and directories, when a name is not UTF-8, or when a limit is exceeded. Hard links count as files.
 */
export async function listBundle(directory: string, limits: BundleLimits = BUNDLE_LIMITS): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  const walk = async (relative: string, depth: number): Promise<void> => {
    if (depth > limits.depth) refuse(directory, `directories nest deeper than ${limits.depth}`);
    for (const name of await readdir(join(directory, relative), { encoding: 'buffer' })) {
      const path = relative === '' ? decodeName(directory, name) : `${relative}/${decodeName(directory, name)}`;
      const entry = await lstat(join(directory, path), { bigint: true });
      if (entry.isDirectory()) {
        await walk(path, depth + 1);
        continue;
      }
      if (entry.isSymbolicLink()) refuse(directory, `${printable(path)} is a symbolic link`);
      if (!entry.isFile()) refuse(directory, `${printable(path)} is neither a file nor a directory`);
      files.push({ path, size: Number(entry.size), inode: `${entry.dev}:${entry.ino}` });
      if (files.length > limits.files) refuse(directory, `it holds more than ${limits.files} files`);
      if (entry.size > limits.fileBytes)
        refuse(directory, `${printable(path)} is larger than ${limits.fileBytes} bytes`);
    }
  };
  await walk('', 0);
  const distinct = new Map(files.map((file) => [file.inode, file.size]));
  const total = [...distinct.values()].reduce((sum, size) => sum + size, 0);
  if (total > limits.totalBytes) refuse(directory, `it is larger than ${limits.totalBytes} bytes`);
  return files.sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
}

function decodeName(directory: string, name: Buffer): string {
  const text = name.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(name))
    refuse(directory, `the name ${printable(name.toString('latin1'))} is not UTF-8`);
  return text;
}

/** Makes a foreign name fit for a message: it is quoted when it holds anything but plain characters. */
export function printable(name: string): string {
  if (/^[\w./+@ -]+$/.test(name)) return name;
  return replaceHarmful(JSON.stringify(name), (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function refuse(path: string, detail: string): never {
  throw new AssayError('TASK_UNSAFE', { path, detail });
}
