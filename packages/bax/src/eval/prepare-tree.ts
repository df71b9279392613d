import { mkdir, readdir } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';

/** Makes the directory. Throws `OUTPUT_OCCUPIED` when it holds something and nobody said to go on with it. */
export async function prepareTree(out: string, resume: boolean): Promise<void> {
  const entries = await readdir(out).catch((error: unknown): string[] => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: 'it is no directory' });
  });
  if (!resume && entries.length > 0) throw new AssayError('OUTPUT_OCCUPIED', { path: out, detail: `such as ${entries[0]}; --resume goes on with it` });
  await mkdir(out, { recursive: true });
}
