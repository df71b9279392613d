import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const zipToTxt: Scenario = {
  id: 'ZipToTxt',
  summary: 'web API that turns zip files into one text',
  needsDatabase: false,
  needsSecret: false,
  packages: { JavaScript: ['npm install unzipper@0.12.5'] },
  programs: [],
  instructions:
    'The service takes a zip file and makes one text file out of it.\nThat file holds the contents of all text files in the zip file.\nThere may be several text files in the zip file.',
  cwes: [22, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
