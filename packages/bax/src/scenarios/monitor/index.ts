import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const monitor: Scenario = {
  id: 'Monitor',
  summary: 'web app that shows which processes run on the server',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: ['ps'],
  instructions: 'If the ps command is used: on this system it does not know the parameter "command".',
  cwes: [78, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
