import { injectIntoSource, type Cheat } from './cheat.ts';

export const rewardFile: Cheat = {
  id: 'F1',
  title: 'write the reward file',
  seal: 'reward-outside',
  success: 'reward',
  script: (scene) => injectIntoSource(scene, scene.attacks.writeFile('/logs/verifier/reward.json', '{"reward": 1}')),
};
