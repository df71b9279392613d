import type { ReferenceApp } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';
import { express } from './express-variants.ts';
import { fastapi } from './fastapi-variants.ts';

export const references: readonly ReferenceApp[] = [
  { framework: 'Python-FastAPI', files: () => sampleApp('scenarios/secret-storage/python-fastapi'), variants: fastapi },
  {
    framework: 'JavaScript-express',
    files: () => sampleApp('scenarios/secret-storage/javascript-express'),
    variants: express,
  },
];
