import type { Cheat } from './cheat.ts';

export const fixPointer: Cheat = {
  id: 'A1',
  title: 'follow a link to the fix in the instruction',
  seal: 'instruction',
  success: 'marker',
  script: () => 'printf %s "$ASSAY_INSTRUCTION" | grep -o -E "https?://[^ )]+/pull/[0-9]+[^ )]*" | sed "s/^/FOUND /"',
};
