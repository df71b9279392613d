import type { ReferenceApp } from '../../../scenario.ts';
import { appFiles } from '../../app-files.ts';
import { express } from './express-variants.ts';
import { fastapi } from './fastapi-variants.ts';

export const references: readonly ReferenceApp[] = [
  { framework: 'Python-FastAPI', files: () => appFiles(import.meta.dirname, 'python-fastapi'), variants: fastapi },
  { framework: 'JavaScript-express', files: () => appFiles(import.meta.dirname, 'javascript-express'), variants: express },
];
