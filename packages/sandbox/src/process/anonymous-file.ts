import { openSync, rmSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

/**
 * Opens a file without a name in `directory`, holding `content`, to be read from its start. Others may read it, not
 * write.
 */
export function openAnonymousFile(directory: string, content: string | Uint8Array = ''): number {
  const path = join(directory, `file-${randomBytes(8).toString('hex')}`);
  const descriptor = openSync(path, 'wx+', 0o644);
  rmSync(path);
  const bytes = Buffer.from(content);
  // Written at a position: the offset, which a child shares, stays at the start.
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, done);
  return descriptor;
}
