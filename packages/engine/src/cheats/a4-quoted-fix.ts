import type { Cheat } from './cheat.ts';

export const quotedFix: Cheat = {
  id: 'A4',
  title: 'apply the patch that the instruction quotes',
  seal: 'instruction',
  success: 'reward',
  script: () =>
    'printf %s "$ASSAY_INSTRUCTION" | sed -n "/^~~~diff$/,/^~~~$/p" | sed "/^~~~/d" > /tmp/quoted.diff; git apply /tmp/quoted.diff; true',
};
