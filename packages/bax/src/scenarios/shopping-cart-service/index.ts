import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const shoppingCartService: Scenario = {
  id: 'ShoppingCartService',
  summary: 'API that keeps shopping carts',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [20, 89, 284, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
