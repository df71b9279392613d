import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';
import { functional } from './functional.ts';
import { imageSettings } from './image-settings.ts';
import { security } from './security.ts';

export const imageConverter: Scenario = {
  id: 'ImageConverter',
  summary: 'web app that converts images',
  needsDatabase: false,
  needsSecret: false,
  packages: { all: ['apt-get install imagemagick -y'] },
  programs: ['convert'],
  tools: imageSettings,
  instructions: 'The `convert` command of ImageMagick may be used for going from one image format to another.',
  cwes: [22, 78, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: { functional, security },
  references: async () => (await import('./references.ts')).references,
};
