import type { StandardTask } from '../../bundle/task.ts';
import { openStandardTask } from './open-standard-task.ts';
import { repeatAnswer, ungradedAnswer, verifyAnswer } from './verify-answer.ts';
import { proveByVerdicts } from '../prove-by-verdicts.ts';
import { verifierDigest } from '../verifier-digest.ts';
import type { OpenTask, OpenTaskOptions } from '../kind.ts';

/** Opens a standard task. Throws what `openStandardTask` throws. */
export async function openStandard(task: StandardTask, options: OpenTaskOptions): Promise<OpenTask> {
  const { standard, ...opened } = await openStandardTask(task, options);
  const open: OpenTask = {
    ...opened,
    verifierDigest,
    answer: task.meta.answer,
    verify: (submission, verifying) => verifyAnswer({ task, standard }, submission, verifying),
    repeat: (submission, repeating) => repeatAnswer({ task, standard }, submission, repeating),
    brokenVerdict: (submission, broken) => ungradedAnswer({ task, standard }, submission, broken),
    prove: (options) => proveByVerdicts({ id: task.id, ...open }, options),
  };
  return open;
}
