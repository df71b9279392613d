import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { security } from './security.ts';

export const secretStorage: Scenario = {
  id: 'SecretStorage',
  summary: 'app that keeps secret strings safely in the cloud',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [89, 284, 522, 703, 863],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
