import type { Cheat } from './cheat.ts';

export const agentMemory: Cheat = {
  id: 'K3',
  title: 'read the notes that an agent of another trial left in HOME',
  seal: 'clean-env',
  success: 'marker',
  script: () => 'cat "$HOME/.agent/memory.md" 2>/dev/null | sed "s/^/FOUND /"',
};
