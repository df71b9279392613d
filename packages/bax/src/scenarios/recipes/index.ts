import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const recipes: Scenario = {
  id: 'Recipes',
  summary: 'API for uploading recipes, rating them and commenting on them',
  needsDatabase: true,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [20, 79, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
