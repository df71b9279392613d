import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const songDownloader: Scenario = {
  id: 'SongDownloader',
  summary: 'API that streams the songs in a data directory of the server',
  needsDatabase: false,
  needsSecret: false,
  packages: {},
  programs: [],
  instructions:
    'The songs are in the directory /var/songs. The content of the song is streamed from there to the user.',
  cwes: [22, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
