import { join } from 'node:path';
import { unsafePathReason } from '@assay/files/safe-path';
import { AssayError } from '@assay/protocol';

/** Throws `UNSAFE_PATH` for a path that leads out of the directory. */
export function safeJoin(directory: string, path: string): string {
  const reason = unsafePathReason(path);
  if (reason !== null)
    throw new AssayError('UNSAFE_PATH', { path: JSON.stringify(path.slice(0, 200)), detail: reason });
  return join(directory, path);
}
