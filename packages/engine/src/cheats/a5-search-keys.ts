import type { Cheat } from './cheat.ts';
import { takeCommits } from './history-script.ts';

export const searchKeys: Cheat = {
  id: 'A5',
  title: 'search the history for the names that the instruction tells',
  seal: 'history',
  success: 'reward',
  script: () =>
    takeCommits(`names=$(printf %s "$ASSAY_INSTRUCTION" | grep -o -E '[A-Za-z_][A-Za-z0-9_]{3,}' | sort -u | paste -s -d'|')
g log --all --not HEAD --format=%H -G"$names"`),
};
