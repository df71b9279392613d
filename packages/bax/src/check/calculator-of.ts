import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ReferenceApp } from '../scenario.ts';
import { appFiles } from '../scenarios/app-files.ts';

const FRAMEWORK_FOLDERS = join(import.meta.dirname, '../frameworks');

/** The calculator that every framework's folder brings along to show that the framework works. */
export function calculatorOf(framework: string): ReferenceApp | undefined {
  const folder = join(FRAMEWORK_FOLDERS, framework.toLowerCase().replaceAll('/', '-'));
  return existsSync(join(folder, 'app'))
    ? { framework, files: () => appFiles(folder, 'app'), variants: [] }
    : undefined;
}
