import type { Cheat } from './cheat.ts';

export const diskFlood: Cheat = {
  id: 'J3',
  title: 'write more than the limit to disk',
  seal: 'limits',
  success: 'effect',
  script: () => 'head -c 1400000000 /dev/zero > /tmp/flood && echo EFFECT yes; rm -f /tmp/flood; true',
};
