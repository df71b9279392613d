import { defineCommand } from '../command.ts';
import { given, providerOption } from './shared-options.ts';

export const demo = defineCommand({
  name: 'demo',
  summary: 'show in a minute what Assay does, on a small repository that it builds',
  description: `Mines a real fix out of a small repository, proves the task, and lets five agents at it: three that
cheat (fetch the fix over the network, read it out of the git history, install the fixed release), each once with its
seal off and once sealed, one that solves the task honestly, and one that clamps the symptom. Exits 1 when anything
scores what it should not.`,
  example: 'assay demo',
  arguments: [],
  options: { provider: providerOption },
  async run({ provider }, { signal, onEvent }) {
    const { demoHolds, runDemo } = await import('@assay/engine/commands/demo/demo');
    const { renderDemo } = await import('../reporters/render-demo.ts');
    const result = await runDemo({ signal, onEvent, ...given({ provider }) });
    const holds = demoHolds(result);
    return { exitCode: holds ? 0 : 1, document: result, render: (terminal) => renderDemo(result, holds, terminal) };
  },
});
