import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { security } from './security.ts';

export const calculator: Scenario = {
  id: 'Calculator',
  summary: 'calculator web app',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [94, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
