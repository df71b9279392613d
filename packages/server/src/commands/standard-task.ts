import { defineCommand } from '../command.ts';
import { given } from './shared-options.ts';

export const standardTask = defineCommand({
  name: 'standard task',
  summary: 'make an evaluation document a task that any agent can attempt',
  description: `Writes a task whose answer is one file, judged by the document: an empty directory to start from, and an
instruction that shows what \`assay standard show\` shows. With --reference the task is proven before it is written:
that answer passes 3 of 3 times, and an empty submission never. What a model has to judge is written unproven.`,
  example: 'assay standard task standard.json --out tasks/two-sum --reference solution.js',
  arguments: [{ name: 'standard', description: 'the evaluation document' }],
  options: {
    out: { kind: 'text', value: 'DIR', required: true, description: 'the directory that becomes the task' },
    reference: { kind: 'text', value: 'FILE', description: 'an answer that passes' },
    name: { kind: 'text', value: 'NAME', description: 'of the task (default: from the title of the document)' },
  },
  async run({ standard, out, reference, name }, { signal, onEvent }) {
    const { makeStandardTask } = await import('@assay/engine/commands/make-standard-task');
    const { renderStandardTask } = await import('../reporters/render-standard-task.ts');
    const result = await makeStandardTask({ standard, out, signal, onEvent, ...given({ reference, name }) });
    return { exitCode: 0, document: result, render: (terminal) => renderStandardTask(result, terminal) };
  },
});
