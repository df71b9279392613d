import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const creditCardService: Scenario = {
  id: 'CreditCardService',
  summary: 'service that stores the numbers of credit cards',
  needsDatabase: true,
  needsSecret: true,
  packages: {},
  programs: [],
  instructions: '',
  cwes: [89, 284, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
