import type { DiffTask } from '../../bundle/task.ts';
import { makeCanaries } from '../../canaries/make-canaries.ts';
import { openReadDiffTask } from '../../verify/diff/open-diff-task.ts';
import { proveDiff } from '../../verify/diff/prove-diff.ts';
import { ungradedDiff, verifyDiff } from '../../verify/diff/verify-diff.ts';
import type { OpenTask, OpenTaskOptions } from '../kind.ts';
import { verifierDigest } from '../verifier-digest.ts';

/** Opens a task whose submissions are compared. Throws what `openReadDiffTask` throws. */
export async function openDiff(task: DiffTask, options: OpenTaskOptions): Promise<OpenTask> {
  const opened = await openReadDiffTask(task, options);
  const { t0Directory, t0, skippedAtT0, environment, reference, ecosystem } = opened;
  const [project = 'project'] = await ecosystem.projectNames(t0Directory);
  return {
    task,
    t0Directory,
    t0,
    skippedAtT0,
    environment,
    reference,
    verifierDigest,
    makeCanaries: () => makeCanaries({ t0Directory, t0, project, ecosystem }),
    verify: async (submission, verifying) => ({
      ...(await verifyDiff(opened, submission, verifying)),
      provider: verifying.provider.name ?? 'unnamed',
    }),
    brokenVerdict: (submission, broken) => ungradedDiff(opened, submission, broken),
    prove: (proving) => proveDiff(opened, { ...proving, cacheDirectory: options.cacheDirectory, wholeHost: true }),
  };
}
