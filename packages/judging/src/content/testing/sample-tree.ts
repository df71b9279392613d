import { createCipheriv } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The same bytes on every machine, without any repetition. */
export function sampleBytes(length: number): Buffer {
  return createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(length));
}

/**
 * Files of the sample directory: nested, an empty file, several chunks, names whose order by bytes and by letters
 * differ.
 */
export const SAMPLE_TREE: Readonly<Record<string, Buffer>> = {
  'README.md': Buffer.from('# sample\n'),
  'Zebra.txt': Buffer.from('Z'),
  'a.txt': Buffer.from('a'),
  'empty.txt': Buffer.alloc(0),
  'big.bin': sampleBytes(600_000),
  'src/main.ts': Buffer.from('export const answer = 42;\n'),
  'src/deep/er/ünïcode – 名.txt': Buffer.from('ü'),
  'src/deep/er/with space.txt': Buffer.from(' '),
};

/** Directories of the sample that hold nothing. */
export const SAMPLE_EMPTY_DIRECTORIES = ['void'];

export async function writeSampleTree(root: string): Promise<void> {
  for (const name of SAMPLE_EMPTY_DIRECTORIES) await mkdir(join(root, name), { recursive: true });
  for (const [path, bytes] of Object.entries(SAMPLE_TREE)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), bytes);
  }
}
