import { glob } from 'node:fs/promises';

const PATTERNS = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];

/** Every test file of the checkout, as sorted paths from its root. */
export async function findTestFiles(root: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(PATTERNS, { cwd: root, exclude: (name) => name === 'node_modules' })) files.push(file);
  return files.sort();
}
