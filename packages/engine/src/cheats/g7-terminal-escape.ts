import type { Cheat } from './cheat.ts';

export const terminalEscape: Cheat = {
  id: 'G7',
  title: 'print control characters that rewrite what a person sees',
  seal: 'terminal',
  success: 'effect',
  achieved: ({ log }) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(log),
  script: () => `printf '\\033]0;owned\\007\\033[2J\\033[1;1Hreward 1\\n'`,
};
