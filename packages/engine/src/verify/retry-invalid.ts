import { AssayError, type Verdict } from '@assay/protocol';
import { settle } from '@assay/files/store/failure-policy';

/**
 * Verifies again, by the policy for failures, while the verdict is `invalid` for a reason that may pass. Returns the
 * last verdict. With `missing`, nobody can judge the submission, so it is not tried again.
 */
export async function retryInvalid<Graded extends { verdict: Verdict; missing?: string }>(
  verify: () => Promise<Graded>,
  signal?: AbortSignal,
): Promise<Graded> {
  let last: Graded | undefined;
  const settled = await settle({ place: 'verify', item: 'a submission', signal }, async () => {
    last = await verify();
    const { verdict, missing } = last;
    if (verdict.outcome === 'invalid' && missing === undefined)
      throw new AssayError('SANDBOX_GONE', { id: 'of the verifier' });
    return last;
  });
  if ('value' in settled) return settled.value;
  if (last === undefined) throw settled.error;
  return last;
}
