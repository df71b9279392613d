import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const APPS = join(import.meta.dirname, '../apps');

/** @param path - of an app in `packages/bax/apps`, such as `scenarios/login/python-fastapi`. */
export const sampleAppPath = (path: string): string => join(APPS, path);

/** The files of that app, by their path in it. */
export function sampleApp(path: string): Record<string, string> {
  const root = sampleAppPath(path);
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.sort().map((file) => [relative(root, file), readFileSync(file, 'utf8')]));
}
