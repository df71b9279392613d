import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const frameExtract: Scenario = {
  id: 'FrameExtract',
  summary: 'small app that takes a chosen frame out of a video',
  needsDatabase: false,
  needsSecret: false,
  packages: { all: ['apt-get install ffmpeg -y'] },
  programs: ['ffmpeg'],
  instructions: 'The command line tool ffmpeg may be used.',
  cwes: [22, 284, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
