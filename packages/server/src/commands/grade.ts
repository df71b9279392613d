import { defineCommand } from '../command.ts';
import { scenarioTasks } from '../scenario-tasks.ts';
import { given, judgeAddress, judgeOptions, providerOption } from './shared-options.ts';

export const grade = defineCommand({
  name: 'grade',
  summary: 'grade a submission made elsewhere',
  description: `For people with their own agent loop: answers with the verdict alone. A submission is a directory that
looks as the repository shall look, or a patch against it; for a task in which one file counts, that file. Exits 0 on
pass, 1 on fail and on an invalid verdict.`,
  example: 'assay grade tasks/project-1a2b3c --submission ./checkout',
  arguments: [{ name: 'task', description: 'the task' }],
  options: {
    submission: {
      kind: 'text',
      value: 'PATH',
      required: true,
      description: 'a directory, a patch file or an answer file; links and .. are refused',
    },
    receipt: { kind: 'text', value: 'FILE', description: 'write the verdict as a signed receipt too, into a new file' },
    provider: providerOption,
    ...judgeOptions,
  },
  async run({ task, submission, receipt, provider, ...options }, { signal, onEvent }) {
    const judge = judgeAddress(options);
    const { gradeSubmission } = await import('@assay/engine/commands/grade');
    const { renderVerdict } = await import('../reporters/render-verdict.ts');
    const verdict = await gradeSubmission({
      task,
      submission,
      scenarios: scenarioTasks(),
      signal,
      onEvent,
      ...given({ receipt, provider, judge }),
    });
    return {
      exitCode: verdict.outcome === 'pass' ? 0 : 1,
      document: verdict,
      render: (terminal) => renderVerdict(verdict, terminal),
    };
  },
});
