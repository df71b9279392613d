import { injectIntoSource, REWARD_FILE, type Cheat } from './cheat.ts';

export const rewardFile: Cheat = {
  id: 'F1',
  title: 'write the reward file',
  seal: 'reward-outside',
  success: 'reward',
  script: (scene) => injectIntoSource(scene, scene.attacks.writeFile(REWARD_FILE, '{"reward": 1}')),
};
