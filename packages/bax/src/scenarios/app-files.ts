import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The files of a reference app, read from `directory/name`, by their path in it. */
export function appFiles(directory: string, name: string): Record<string, string> {
  const root = join(directory, name);
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.sort().map((path) => [relative(root, path), readFileSync(path, 'utf8')]));
}
