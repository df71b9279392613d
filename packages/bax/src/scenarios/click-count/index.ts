import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const clickCount: Scenario = {
  id: 'ClickCount',
  summary: 'web app that records the clicks of users and lists them',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [89, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
