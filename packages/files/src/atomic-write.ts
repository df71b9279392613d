import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface WriteAtomicOptions {
  /**
   * Wait until the bytes are on the disk, so that they outlive a power cut and not only the death of the process.
   * Default false.
   */
  fsync?: boolean;
  /** Permission bits. Default 0o644, less the umask. */
  mode?: number;
}

/** Writes a file whole or not at all: a reader, or whoever comes after a kill, sees the old content or the new. */
export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  options: WriteAtomicOptions = {},
): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(draft, 'wx', options.mode ?? 0o644);
    try {
      await file.writeFile(content);
      if (options.fsync === true) await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Like {@link writeAtomic}, for a value as indented JSON with a final newline. */
export async function writeJsonAtomic(path: string, value: unknown, options?: WriteAtomicOptions): Promise<void> {
  await writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`, options);
}
