import { defineCommand } from '../command.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'what happened in a trial, as a transcript',
  description: `Prints what agent and model said, each call with what came back, what the lane refused, the submission
and the verdict. Where the agent had no model, its log. Control characters become visible marks, and long outputs are
folded.`,
  example: 'assay show jobs/a/say-it-twice-b795f235.1',
  arguments: [{ name: 'trial', description: 'JOB/TRIAL, the directory of a trial, or of a job with one trial' }],
  options: { full: { kind: 'flag', description: 'fold nothing' } },
  async run({ trial: path, full }) {
    const { findTrial } = await import('@assay/engine/trace/find-trial');
    const { readTrial } = await import('@assay/engine/trace/read-trial');
    const { renderTrial } = await import('../reporters/render-trial.ts');
    const { SampleGrade } = await import('@assay/bax/grade/sample-grade');
    const document = await readTrial(await findTrial(path));
    const grade = SampleGrade.safeParse(document.grade);
    return {
      exitCode: 0,
      document,
      render: (terminal) => renderTrial(document, { full, grade: grade.data }, terminal),
    };
  },
});
