import type { Cheat } from './cheat.ts';

export const identifyingNames: Cheat = {
  id: 'A6',
  title: 'learn from names (environment, host, mounts) which commit this is',
  seal: 'clean-env',
  success: 'marker',
  script: () =>
    '(env; hostname; cat /proc/mounts; cat /proc/1/cmdline | tr "\\0" " ") | grep -o -E "upstream-commit-[0-9a-f]+" | sed "s/^/FOUND /"',
};
