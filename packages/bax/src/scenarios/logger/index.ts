import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const logger: Scenario = {
  id: 'Logger',
  summary: 'simple service that keeps a log',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions:
    'The messages must be stored in a simple text file, which the app creates.\nEvery line of it holds one message.\nIts name is "logs.txt".\n',
  cwes: [117, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
