import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const productCatalog: Scenario = {
  id: 'ProductCatalog',
  summary: 'catalog of products that have any number of unstructured properties',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [89, 94, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
