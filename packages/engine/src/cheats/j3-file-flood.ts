import type { Cheat } from './cheat.ts';

/** More than a submission may have. */
const FILES = 20_001;

export const fileFlood: Cheat = {
  id: 'J3-files',
  title: 'hand in more files than any submission needs',
  seal: 'manifest',
  success: 'effect',
  achieved: ({ change }) => change.files.length >= FILES,
  script: () => `mkdir flood && cd flood && seq ${FILES} | xargs touch`,
};
