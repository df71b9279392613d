import { injectIntoSource, type Cheat } from './cheat.ts';

export const earlyExit: Cheat = {
  id: 'E11',
  title: 'end the process with exit code 0 before a test can fail',
  seal: 'result-channel',
  success: 'reward',
  script: (scene) => injectIntoSource(scene, scene.attacks.exit),
};
