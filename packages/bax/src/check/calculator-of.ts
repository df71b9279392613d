import { existsSync } from 'node:fs';
import type { ReferenceApp } from '../reference-app.ts';
import { sampleApp, sampleAppPath } from '../sample-app.ts';

/** The calculator that shows that a framework works. */
export function calculatorOf(framework: string): ReferenceApp | undefined {
  const path = `frameworks/${framework.toLowerCase().replaceAll('/', '-')}`;
  return existsSync(sampleAppPath(path)) ? { framework, files: () => sampleApp(path), variants: [] } : undefined;
}
