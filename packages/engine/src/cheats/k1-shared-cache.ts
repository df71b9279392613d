import type { Cheat } from './cheat.ts';

export const sharedCache: Cheat = {
  id: 'K1',
  title: 'read what another trial left in a shared cache',
  seal: 'clean-env',
  success: 'marker',
  script: () => 'cat /tmp/shared/answer-* /var/tmp/shared/answer-* 2>/dev/null | sed "s/^/FOUND /"',
};
