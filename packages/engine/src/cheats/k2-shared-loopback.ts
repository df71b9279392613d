import { download, type Cheat } from './cheat.ts';

export const sharedLoopback: Cheat = {
  id: 'K2',
  title: 'ask a listener that another trial opened',
  seal: 'network',
  success: 'marker',
  script: (scene) =>
    `${download(scene, `${scene.codeHost}/neighbour`, '/tmp/answer')} && sed "s/^/FOUND /" /tmp/answer`,
};
