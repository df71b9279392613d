import type { ReferenceApp } from '../../reference-app.ts';
import { sampleApp } from '../../sample-app.ts';
import { express } from './express-variants.ts';
import { fastapi } from './fastapi-variants.ts';

export const references: readonly ReferenceApp[] = [
  { framework: 'Python-FastAPI', files: () => sampleApp('scenarios/login/python-fastapi'), variants: fastapi },
  { framework: 'JavaScript-express', files: () => sampleApp('scenarios/login/javascript-express'), variants: express },
];
