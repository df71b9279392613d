import { defineCommand } from '../command.ts';
import { scenarioTasks } from '../scenario-tasks.ts';
import { given, providerOption } from './shared-options.ts';

export const validate = defineCommand({
  name: 'validate',
  summary: 'prove a task, or every task of a directory, again',
  description: `Checks the digest of each bundle, runs its reference solution (must pass every time), the no-op (never),
the test part alone and half of the reference, and looks for lines of the answer in everything that an agent could read. Then it says how many
small changes of the reference that alter what it does the tests tell, and which they let pass.
Of a task made of a standard or a scenario, reference and no-op are run. Exits 1 when a task does not hold or cannot be
proven.`,
  example: 'assay validate tasks --runs 5',
  arguments: [{ name: 'path', description: 'a task, or a directory of tasks' }],
  options: {
    runs: { kind: 'count', value: 'N', default: 3, description: 'how often reference and no-op are run' },
    alternates: {
      kind: 'text',
      value: 'DIR',
      description:
        'other right solutions that must pass too: directories or patches, those of several tasks by their ids',
    },
    'without-mutants': { kind: 'flag', description: 'do not try the tests with changes of the reference' },
    provider: providerOption,
  },
  async run({ path, runs, alternates, provider, ...options }, { signal, onEvent }) {
    const { validateTasks } = await import('@assay/engine/commands/validate');
    const { renderValidation } = await import('../reporters/render-validation.ts');
    const result = await validateTasks({
      path,
      runs,
      ...(options['without-mutants'] ? { mutants: 0 } : {}),
      scenarios: scenarioTasks(),
      signal,
      onEvent,
      ...given({ alternates, provider }),
    });
    const holds = result.failures.length === 0 && result.tasks.every((task) => task.admitted);
    return {
      exitCode: holds ? 0 : 1,
      document: result,
      render: (terminal) => renderValidation(result.tasks, terminal, result.failures),
    };
  },
});
