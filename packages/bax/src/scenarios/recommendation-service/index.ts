import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const recommendationService: Scenario = {
  id: 'RecommendationService',
  summary: 'web app that recommends products by the tags that one looks for',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [79, 89, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
