import type { Cheat } from './cheat.ts';

export const terminalEscape: Cheat = {
  id: 'G7',
  title: 'print control characters that rewrite what a person sees',
  seal: 'terminal',
  success: 'effect',
  script: () => `printf '\\033]0;owned\\007\\033[2J\\033[1;1Hreward 1\\n'`,
};
