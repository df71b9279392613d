import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const TEST_CODE =
  /(\.(test|fixture)\.\w+$|-(conformance|scenarios|test-home)\.\w+$|(^|\/)(testing|__fixtures__|__pycache__)\/)/;

/** The files below a package's `src/` but tests and what only they use; paths from there, sorted. */
export function shippedFiles(packageDirectory: string): string[] {
  const directory = join(packageDirectory, 'src');
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter(isShipped)
    .sort();
}

/** Whether a file, by its path from `src/`, is for users and not for tests alone. */
export const isShipped = (path: string): boolean => !TEST_CODE.test(path);
