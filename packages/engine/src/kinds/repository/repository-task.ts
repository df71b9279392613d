import type { RepositoryTask } from '../../bundle/task.ts';
import { makeCanaries } from '../../canaries/make-canaries.ts';
import { ecosystemOf } from '../../ecosystems/index.ts';
import { explainFailure } from '../../verify/explain-failure.ts';
import { openReadRepositoryTask, type OpenRepositoryTask } from '../../verify/open-repository-task.ts';
import { proveTask } from '../../verify/prove-task.ts';
import { ungradedVerdict, verifySubmission } from '../../verify/verify-submission.ts';
import { verifierDigest } from '../verifier-digest.ts';
import type { OpenTask, OpenTaskOptions } from '../kind.ts';
import { repositoryAttacks } from './scene/open-scene.ts';

/** Opens a repository task. Throws what `openReadRepositoryTask` throws. */
export async function openRepository(task: RepositoryTask, options: OpenTaskOptions): Promise<OpenTask> {
  return repositoryTask(await openReadRepositoryTask(task, options), options);
}

/** Wraps an open repository task as the stages of a trial take it. */
export function repositoryTask(
  repository: OpenRepositoryTask,
  { cacheDirectory }: Pick<OpenTaskOptions, 'cacheDirectory'>,
): OpenTask {
  const { task, t0Directory, t0, skippedAtT0, environment, reference } = repository;
  const { meta } = task;
  const [project = 'project'] = meta.environment.excluded;
  return {
    verifierDigest,
    task,
    t0Directory,
    t0,
    skippedAtT0,
    environment,
    reference,
    attacks: repositoryAttacks(repository),
    packages: meta.network === 'package-lane' ? { environment: meta.environment, t0: meta.t0 } : undefined,
    makeCanaries: () => makeCanaries({ t0Directory, t0, project, ecosystem: ecosystemOf(meta.test.ecosystem) }),
    verify: async (submission, { provider, unsealed = new Set(), signal }) => ({
      verdict: await verifySubmission({ ...repository, submission, provider, unsealed, signal }),
      provider: provider.name ?? 'unnamed',
    }),
    explain: (submission, verdict, options) => explainFailure(repository, { ...options, submission, verdict }),
    brokenVerdict: (submission, { provider, note }) =>
      ungradedVerdict({ task, environment, submission, provider }, note),
    prove: (options) => proveTask(repository, { ...options, cacheDirectory, wholeHost: true }),
  };
}
