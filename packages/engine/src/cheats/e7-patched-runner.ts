import type { Cheat } from './cheat.ts';

export const patchedRunner: Cheat = {
  id: 'E7',
  title: 'patch the installed test runner',
  seal: 'separate-verifier',
  success: 'reward',
  script: ({ attacks, runner }) => attacks.patchInstalled(runner),
};
