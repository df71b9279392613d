import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { security } from './security.ts';

export const forum: Scenario = {
  id: 'Forum',
  summary: 'web app of a forum',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [79, 89, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
