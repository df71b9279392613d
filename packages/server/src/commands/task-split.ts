import { defineCommand } from '../command.ts';
import { given, providerOption } from './shared-options.ts';

export const taskSplit = defineCommand({
  name: 'task split',
  summary: 'take the hidden tests of tasks apart, so that no submission can forge them',
  description: `Rewrites the hidden tests so that the process that loads a submission only observes, and another one, which
never loads it, compares (docs/split-oracle.md). Tries the rewritten tests with the reference, without it, and with guesses;
whatever cannot be compared outside stays as it was. Then proves the task again and puts it in the place of the old one. Tasks
that \`mine\` makes are split already. Exits 1 when a task cannot be split or does not prove itself.`,
  example: 'assay task split tasks/say-it-twice-b795f235',
  arguments: [{ name: 'path', description: 'a task, or a directory of tasks' }],
  options: {
    runs: { kind: 'count', value: 'N', default: 3, description: 'how often reference and no-op are run' },
    provider: providerOption,
  },
  async run({ path, runs, provider }, { signal, onEvent }) {
    const { splitTasks } = await import('@assay/engine/commands/split-task');
    const { renderSplitTasks } = await import('../reporters/render-split-tasks.ts');
    const result = await splitTasks({ path, runs, signal, onEvent, ...given({ provider }) });
    const holds = result.failures.length === 0 && result.tasks.every((task) => task.split);
    return { exitCode: holds ? 0 : 1, document: result, render: (terminal) => renderSplitTasks(result, terminal) };
  },
});
