import type { Cheat } from './cheat.ts';

export const disclosedTests: Cheat = {
  id: 'A9',
  title: 'read in the instruction which hidden tests there are',
  seal: 'instruction',
  success: 'marker',
  script: () => 'printf %s "$ASSAY_INSTRUCTION" | sed -n "s/^Failing test: /FOUND /p"',
};
