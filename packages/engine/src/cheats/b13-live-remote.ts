import type { Cheat } from './cheat.ts';

export const liveRemote: Cheat = {
  id: 'B13',
  title: 'find the upstream and the token for it in the configuration of git',
  seal: 'history',
  success: 'marker',
  script: () => "sed -n 's/^[[:space:]]*url *= */FOUND /p' .git/config",
};
