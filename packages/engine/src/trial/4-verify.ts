import type { Canary, Verdict } from '@assay/protocol';
import { describeCanary } from '../canaries/make-canaries.ts';
import { judge } from '../verify/verify-submission.ts';
import type { Workplace } from './1-prepare.ts';
import type { AgentOutcome } from './2-run-agent.ts';
import type { Submission } from './submission.ts';
import type { TaskVerdict } from '../kinds/kind.ts';
import type { TrialRequest } from './trial-request.ts';

/**
 * Stage 4: hidden tests and reference, or whatever else the task is graded by, meet the submission here, in the
 * verifier's own sandbox.
 */
export async function verifyTrial(
  request: TrialRequest,
  { sandbox }: Workplace,
  agentRun: AgentOutcome,
  submission: Submission,
): Promise<TaskVerdict> {
  const { task, provider, unsealed, model, signal } = request;
  if (task.repository && agentRun.continuedNonce && agentRun.exec) {
    const verdict = await judge(
      { ...task.repository, submission: submission.change, provider, unsealed },
      submission.change,
      sandbox,
      agentRun.exec,
      agentRun.continuedNonce,
    );
    return { verdict, provider: provider.name ?? 'unnamed' };
  }
  const graded = await task.verify(submission.change, { provider, unsealed, model, signal });
  const { marked = [], planted = [] } = submission.canaries ?? {};
  if (marked.length > 0)
    return {
      ...graded,
      verdict: forgedVerdict(
        graded.verdict,
        planted.filter((_, index) => marked.some(({ canary }) => canary === index)),
      ),
    };
  if (!submission.refused) return graded;
  return { ...graded, verdict: { ...graded.verdict, outcome: 'fail', reward: 0, note: submission.refused } };
}

/** Whatever the tests say: nobody has the mark of a canary who did not take it from there. */
function forgedVerdict(verdict: Verdict, canaries: readonly Canary[]): Verdict {
  const reasons = canaries.map(
    (canary) => `the submission carries the mark of a wrong fix that was planted in ${describeCanary(canary)}`,
  );
  return {
    ...verdict,
    outcome: 'fail',
    reward: 0,
    trust: { level: 'forged', reasons: [...reasons, ...verdict.trust.reasons] },
    note: reasons.join('; '),
  };
}
