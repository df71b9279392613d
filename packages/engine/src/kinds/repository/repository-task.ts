import type { RepositoryTask } from '../../bundle/task.ts';
import { openReadRepositoryTask, type OpenRepositoryTask } from '../../verify/open-repository-task.ts';
import { proveTask } from '../../verify/prove-task.ts';
import { ungradedVerdict, verifySubmission } from '../../verify/verify-submission.ts';
import { verifierDigest } from '../verifier-digest.ts';
import type { OpenTask, OpenTaskOptions } from '../kind.ts';

/** Errors as `openReadRepositoryTask`. */
export async function openRepository(task: RepositoryTask, options: OpenTaskOptions): Promise<OpenTask> {
  return repositoryTask(await openReadRepositoryTask(task, options), options);
}

/** A repository task that was opened, as the stages take it. */
export function repositoryTask(
  repository: OpenRepositoryTask,
  { cacheDirectory }: Pick<OpenTaskOptions, 'cacheDirectory'>,
): OpenTask {
  const { task, t0Directory, t0, skippedAtT0, environment, reference } = repository;
  return {
    verifierDigest,
    task,
    t0Directory,
    t0,
    skippedAtT0,
    environment,
    reference,
    repository,
    verify: async (submission, { provider, unsealed = new Set(), signal }) => ({
      verdict: await verifySubmission({ ...repository, submission, provider, unsealed, signal }),
      provider: provider.name ?? 'unnamed',
    }),
    brokenVerdict: (submission, { provider, note }) =>
      ungradedVerdict({ task, environment, submission, provider }, note),
    prove: (options) => proveTask(repository, { ...options, cacheDirectory, wholeHost: true }),
  };
}
