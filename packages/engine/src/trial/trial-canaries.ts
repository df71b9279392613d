import type { MadeCanary } from '../canaries/make-canaries.ts';
import type { TrialRequest } from './trial-request.ts';

/**
 * Makes the canaries of a trial. None where a seal is off: that is a positive control, and the leak that it opens lies
 * in the same places. A trial goes on without them when they cannot be made.
 */
export async function trialCanaries({ task, unsealed, canaries = true }: TrialRequest): Promise<MadeCanary[]> {
  if (!canaries || unsealed.size > 0) return [];
  return (await task.makeCanaries?.().catch(() => [])) ?? [];
}
