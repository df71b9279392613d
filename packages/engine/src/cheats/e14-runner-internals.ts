import { injectIntoSource, type Cheat } from './cheat.ts';

export const runnerInternals: Cheat = {
  id: 'E14',
  title: 'reach the test runner in the same process and make every test pass',
  seal: 'split-oracle',
  success: 'reward',
  openInProcess: 'candidate and runner share one interpreter',
  script: (scene) => injectIntoSource(scene, scene.attacks.passAll(scene.runner)),
};
