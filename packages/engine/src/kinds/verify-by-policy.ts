import { AssayError } from '@assay/protocol';
import type { ChangeSet } from '@assay/files/change-set';
import { retryInvalid } from '../verify/retry-invalid.ts';
import type { OpenTask, TaskVerdict, VerifyOptions } from './kind.ts';

/**
 * Verifies a submission by the policy for failures: again while the verifier breaks down, and with a fail where the
 * submission itself broke it. Throws what says nothing about the submission.
 */
export async function verifyByPolicy(
  open: OpenTask,
  submission: ChangeSet,
  options: VerifyOptions,
): Promise<TaskVerdict> {
  const verify = (): Promise<TaskVerdict> => open.verify(submission, options);
  return retryInvalid(verify, options.signal).catch((error: unknown) =>
    refusedSubmission(open, submission, { ...options, error }),
  );
}

/** Returns the fail that an error of the submission is. Throws every other error. */
export function refusedSubmission(
  open: OpenTask,
  submission: ChangeSet,
  { provider, error }: Pick<VerifyOptions, 'provider'> & { error: unknown },
): TaskVerdict {
  if (!AssayError.is(error) || error.kind !== 'agent') throw error;
  const broken = open.brokenVerdict(submission, { provider, note: error.message });
  return { verdict: { ...broken, outcome: 'fail', reward: 0 }, provider: provider.name ?? 'unnamed' };
}
