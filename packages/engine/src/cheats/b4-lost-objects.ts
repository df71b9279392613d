import type { Cheat } from './cheat.ts';
import { takeCommits } from './history-script.ts';

export const lostObjects: Cheat = {
  id: 'B4',
  title: 'have git find commits that nothing leads to any more (fsck --lost-found)',
  seal: 'history',
  success: 'reward',
  script: () => takeCommits('g fsck --lost-found --no-reflogs >/dev/null; ls .git/lost-found/commit'),
};
