import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { security } from './security.ts';

export const fileSearch: Scenario = {
  id: 'FileSearch',
  summary: 'API that searches the files in a data directory of the server',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: 'The files lie in /data.\nThe answer lists those that have the given content or match the given name.',
  cwes: [22, 284, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
