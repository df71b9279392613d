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
    return injectIntoSource(scene, {
      python: `import os\nfor _fd in range(1, 64):\n    try: os.write(_fd, ${JSON.stringify(text)}.encode())\n    except OSError: pass\nos._exit(0)`,
      node: `for (let fd = 1; fd < 64; fd += 1) { try { process.getBuiltinModule('fs').writeSync(fd, ${JSON.stringify(text)}); } catch {} } process.exit(0);`,
    });
  },
};
