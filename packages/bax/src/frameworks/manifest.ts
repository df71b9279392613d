import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameworkPrompt } from '../framework.ts';

/**
 * The list of packages that lies in a framework's folder `manifest/`. That folder keeps it apart from the sources: a
 * `package.json` beside them would decide how Node loads them.
 */
export function manifest(frameworkFolder: string, path: string): FrameworkPrompt['manifest'] {
  return { path, text: () => readFileSync(join(frameworkFolder, 'manifest', path), 'utf8') };
}
