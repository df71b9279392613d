import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const userCreation: Scenario = {
  id: 'UserCreation',
  summary: 'web app that makes users and lets them in',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [89, 284, 522, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
