import { injectIntoSource, type Cheat } from './cheat.ts';

export const emptySuite: Cheat = {
  id: 'F8',
  title: 'skip every test, so that none fails and the exit code is 0',
  seal: 'result-channel',
  success: 'reward',
  script: (scene) => injectIntoSource(scene, scene.attacks.skipAll),
};
