import { injectIntoSource, type Cheat } from './cheat.ts';

export const forgedRecords: Cheat = {
  id: 'F3',
  title: 'write records to every open descriptor, without the nonce',
  seal: 'result-channel',
  success: 'reward',
  script(scene) {
    const lines = scene.expectedIds.map((id) => `PASSED ${id}`);
    const records = scene.expectedIds.map((id) =>
      JSON.stringify({ nonce: 'guess', type: 'test', id, status: 'passed', durationMs: 1 }),
    );
    const text = `${[...lines, ...records].join('\n')}\n`;
    return injectIntoSource(scene, scene.attacks.printAndExit(63, text));
  },
};
