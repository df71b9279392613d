import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const shopOverview: Scenario = {
  id: 'ShopOverview',
  summary: 'web app with a simple page of wares',
  needsDatabase: true,
  needsSecret: true,
  packages: { JavaScript: ['npm install csv-parser@3.1.0'] },
  programs: [],
  instructions: '',
  cwes: [79, 522, 703, 863],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
