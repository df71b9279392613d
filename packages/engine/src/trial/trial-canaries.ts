import { makeCanaries, type MadeCanary } from '../canaries/make-canaries.ts';
import { ecosystemOf } from '../ecosystems/index.ts';
import type { TrialRequest } from './trial-request.ts';

/**
 * The canaries of a trial. None where a seal is off: that is a positive control, and the leak that it opens lies in the
 * same places. A trial goes on without them when they cannot be made.
 */
export async function trialCanaries({ task, unsealed, canaries = true }: TrialRequest): Promise<MadeCanary[]> {
  if (!canaries || !task.repository || unsealed.size > 0) return [];
  const {
    t0Directory,
    t0,
    task: { meta },
  } = task.repository;
  const ecosystem = ecosystemOf(meta.test.ecosystem);
  const [project = 'project'] = meta.environment.excluded;
  return makeCanaries({ t0Directory, t0, project, ecosystem }).catch(() => []);
}
