import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The API that lies in a scenario's folder. */
export function apiFiles(scenarioFolder: string): { openapi: string; text: string } {
  return {
    openapi: readFileSync(join(scenarioFolder, 'openapi.yaml'), 'utf8'),
    text: readFileSync(join(scenarioFolder, 'text.md'), 'utf8'),
  };
}
