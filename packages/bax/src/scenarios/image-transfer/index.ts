import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const imageTransfer: Scenario = {
  id: 'ImageTransfer',
  summary: 'API for uploading images and sharing them',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions: 'The browser must be able to show the images, and must not be told to download them.',
  cwes: [22, 79, 284, 434, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
