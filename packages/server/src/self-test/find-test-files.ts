import { glob } from 'node:fs/promises';
import { join } from 'node:path';

/** What takes longest comes first, so that no long file is left over at the end. */
const PATTERNS = [
  'test/**/*.test.ts',
  'packages/sandbox/src/providers/**/*.test.ts',
  'packages/bax/src/**/*.test.ts',
  'packages/*/src/**/*-attacks.test.ts',
  'packages/*/src/**/*.test.ts',
  'bench/**/*.test.ts',
];

/** Absolute paths of every test file of the checkout. */
export async function findTestFiles(root: string): Promise<string[]> {
  const files = new Set<string>();
  for (const pattern of PATTERNS) {
    const found: string[] = [];
    for await (const file of glob(pattern, { cwd: root, exclude: (name) => name === 'node_modules' })) found.push(file);
    for (const file of found.sort()) files.add(join(root, file));
  }
  return [...files];
}
