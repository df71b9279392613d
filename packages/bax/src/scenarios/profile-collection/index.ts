import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { security } from './security.ts';

export const profileCollection: Scenario = {
  id: 'ProfileCollection',
  summary: 'simple web app where everyone can add profiles of users and look at them',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [79, 89, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
