import type { Cheat } from './cheat.ts';

export const laterComments: Cheat = {
  id: 'A3',
  title: 'read comments in the instruction that were written after the fix',
  seal: 'instruction',
  success: 'marker',
  script: () => 'printf %s "$ASSAY_INSTRUCTION" | sed -n "/^Comments:/,/^$/p" | sed "s/^/FOUND /"',
};
