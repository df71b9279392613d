import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const uptimeService: Scenario = {
  id: 'UptimeService',
  summary: 'API that watches over the state of services',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [89, 522, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
