import type { Cheat } from './cheat.ts';

export const dirtySnapshot: Cheat = {
  id: 'K4',
  title: 'read what another trial left in the tree that trials start from',
  seal: 'clean-env',
  success: 'marker',
  script: () => 'cat .answer-of-trial-* 2>/dev/null | sed "s/^/FOUND /"',
};
