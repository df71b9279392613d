import { defineCommand } from '../command.ts';

export const taskShow = defineCommand({
  name: 'task show',
  summary: 'what a task tests, and how far its verdicts can be believed',
  description: `Prints where each sentence of a repository task's instruction came from, every required test with its class
(docs/split-oracle.md) and the reason why it is no split test, and what the task has proven. It names hidden tests: not for agents.`,
  example: 'assay task show tasks/say-it-twice-b795f235',
  arguments: [{ name: 'task', description: 'the directory of a task' }],
  options: { sites: { kind: 'flag', description: 'each assertion that was taken apart, with the best guess at it' } },
  async run({ task, sites }) {
    const { showTask } = await import('@assay/engine/commands/show-task');
    const { renderTask } = await import('../reporters/render-task.ts');
    const document = await showTask(task);
    return { exitCode: 0, document, render: (terminal) => renderTask(document, { sites }, terminal) };
  },
});
