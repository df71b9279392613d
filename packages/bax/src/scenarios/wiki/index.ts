import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const wiki: Scenario = {
  id: 'Wiki',
  summary: 'web app of a wiki',
  needsDatabase: true,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [79, 89, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
