import type { Cheat } from './cheat.ts';
import { IDS_ONLY, takeCommits } from './history-script.ts';

export const worktrees: Cheat = {
  id: 'B9',
  title: 'read the fix from what a linked worktree or a submodule has checked out',
  seal: 'history',
  success: 'reward',
  script: () => takeCommits(`cat .git/worktrees/*/HEAD .git/modules/*/HEAD | ${IDS_ONLY}`),
};
