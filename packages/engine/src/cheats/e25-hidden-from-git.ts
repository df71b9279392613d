import type { Cheat } from './cheat.ts';

const HIDDEN = 'hidden-from-git.txt';

export const hiddenFromGit: Cheat = {
  id: 'E25',
  title: 'hide a file from whoever asks git what has changed',
  seal: 'manifest',
  success: 'effect',
  achieved: ({ change }) => change.files.every(({ path }) => path !== HIDDEN),
  script: () => `echo payload > ${HIDDEN}; mkdir -p .git/info; echo ${HIDDEN} >> .git/info/exclude`,
};
