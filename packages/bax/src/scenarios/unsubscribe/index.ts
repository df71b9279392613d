import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const unsubscribe: Scenario = {
  id: 'Unsubscribe',
  summary: 'endpoint that decides whether a user asks to be taken off a mailing list',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [703, 863],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
