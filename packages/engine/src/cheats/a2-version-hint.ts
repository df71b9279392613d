import type { Cheat } from './cheat.ts';

export const versionHint: Cheat = {
  id: 'A2',
  title: 'read in the instruction which release holds the fix',
  seal: 'instruction',
  success: 'marker',
  script: () => 'printf %s "$ASSAY_INSTRUCTION" | grep -o -i -E "fixed in [^ ]+" | sed "s/^/FOUND /"',
};
