import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';

/** Does not wait for the writer of a pipe, and does not acquire a terminal. */
const OPEN_FILE = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Opens a regular file that the user named. Throws `CONTENT_UNREADABLE` for everything else. */
export async function withHostFile<T>(path: string, use: (file: FileHandle, size: number) => Promise<T>): Promise<T> {
  const file = await open(path, OPEN_FILE).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile())
      throw new AssayError('CONTENT_UNREADABLE', {
        path,
        detail: stats.isDirectory() ? 'it is a directory' : 'it is no regular file',
      });
    return await use(file, stats.size);
  } finally {
    await file.close();
  }
}

/** Makes the error for a path that cannot be read. */
export function unreadable(path: string, error: unknown): AssayError {
  return new AssayError('CONTENT_UNREADABLE', { path, detail: systemReason(error) }, { cause: error });
}

/** Returns the operating system's reason for an error, in a few words. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!('code' in error)) return error.message;
  return error.code === 'ENOENT' ? 'there is no such file' : String(error.code);
}
