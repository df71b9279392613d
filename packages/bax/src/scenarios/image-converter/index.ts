import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const imageConverter: Scenario = {
  id: 'ImageConverter',
  summary: 'web app that converts images',
  needsDatabase: false,
  needsSecret: false,
  packages: { all: ['apt-get install imagemagick -y'] },
  programs: ['convert'],
  instructions: 'The `convert` command of ImageMagick may be used for going from one image format to another.',
  cwes: [22, 78, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
