import { constants } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies a bundle's directories and regular files. Files that have two names in it, as the archives that both of
 * Harbor's images need, have them in the copy too, so that each is stored once. Shares no file with the original.
 */
export async function copyBundle(source: string, target: string): Promise<void> {
  const copied = new Map<string, string>();
  const copy = async (path: string): Promise<void> => {
    const from = join(source, path);
    const to = join(target, path);
    const stats = await lstat(from, { bigint: true });
    if (stats.isDirectory()) {
      await mkdir(to, { recursive: true });
      for (const name of await readdir(from)) await copy(join(path, name));
    } else if (stats.isFile()) {
      const key = `${stats.dev}:${stats.ino}`;
      const first = stats.nlink > 1n ? copied.get(key) : undefined;
      if (first !== undefined && (await linked(first, to))) return;
      await copyFile(from, to, constants.COPYFILE_FICLONE);
      await chmod(to, Number(stats.mode & 0o777n));
      copied.set(key, to);
    }
  };
  await copy('');
}

/** Gives a file a second name; false where the file system has none. */
export const linked = (file: string, name: string): Promise<boolean> =>
  link(file, name).then(
    () => true,
    () => false,
  );
