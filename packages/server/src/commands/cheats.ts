import { defineCommand } from '../command.ts';
import { given, providerOption } from './shared-options.ts';

export const cheats = defineCommand({
  name: 'cheats',
  summary: 'attack a task with every known cheat',
  description: `Runs each cheat twice: with every seal on, where it must not succeed, and with the one seal off that
stops it, where it must (its positive control; a few have two). Exits 1 when a cheat got through that is not
declared open for tests that are not split (docs/threat-model.md), when a control failed, and when a cheat
could not be tried; the others go on.`,
  example: 'assay cheats tasks/project-1a2b3c --only B1 --only E12',
  arguments: [{ name: 'task', description: 'the task' }],
  options: {
    only: { kind: 'list', value: 'ID', description: 'only this cheat; may be repeated' },
    provider: providerOption,
  },
  async run({ task, only, provider }, { signal, onEvent }) {
    const { isAsDeclared, runCheats } = await import('@assay/engine/commands/cheats');
    const { renderCheats } = await import('../reporters/render-cheats.ts');
    const result = await runCheats({
      task,
      signal,
      onEvent,
      ...given({ provider, ids: only.length > 0 ? only : undefined }),
    });
    const holds = result.failures.length === 0 && result.cheats.every(isAsDeclared);
    return { exitCode: holds ? 0 : 1, document: result, render: (terminal) => renderCheats(result, terminal) };
  },
});
