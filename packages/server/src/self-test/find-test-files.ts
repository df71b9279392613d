import { glob } from 'node:fs/promises';
import { join } from 'node:path';

const PATTERNS = ['test/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'bench/**/*.test.ts'];

/** Absolute paths of every test file of the checkout: the whole-program tests, which take longest, first. */
export async function findTestFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  for (const pattern of PATTERNS) {
    const found: string[] = [];
    for await (const file of glob(pattern, { cwd: root, exclude: (name) => name === 'node_modules' })) found.push(file);
    files.push(...found.sort());
  }
  return files.map((file) => join(root, file));
}
