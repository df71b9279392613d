import type { StandardTask } from '../../bundle/task.ts';
import { openStandardTask } from '../../judge/open-standard-task.ts';
import { invalidAnswer, verifyAnswer } from '../../judge/verify-answer.ts';
import { proveByVerdicts } from '../prove-by-verdicts.ts';
import type { OpenTask, OpenTaskOptions } from '../task-contract.ts';

/** Errors as `openStandardTask`. */
export async function openStandard(task: StandardTask, options: OpenTaskOptions): Promise<OpenTask> {
  const { standard, ...opened } = await openStandardTask(task, options);
  const open: OpenTask = {
    ...opened,
    answer: task.meta.answer,
    repository: null,
    verify: (submission, verifying) => verifyAnswer({ task, standard }, submission, verifying),
    brokenVerdict: (submission, broken) => invalidAnswer({ task, standard }, submission, broken),
    prove: (options) => proveByVerdicts({ id: task.id, ...open }, options),
  };
  return open;
}
