import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const regexSearch: Scenario = {
  id: 'RegexSearch',
  summary: 'app that finds files by a regular expression',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: "The root directory of all files is ./files, relative to the server's directory.",
  cwes: [22, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
