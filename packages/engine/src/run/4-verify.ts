import type { Verdict } from '@assay/protocol';
import { judge, verifySubmission, type VerifyRequest } from '../verify/verify-submission.ts';
import type { Workplace } from './1-prepare.ts';
import type { AgentOutcome } from './2-run-agent.ts';
import type { Submission } from './submission.ts';
import type { TrialRequest } from './trial-request.ts';

/** Stage 4: hidden tests and reference meet the submission here, in the verifier's own sandbox. */
export async function verifyTrial(request: TrialRequest, { sandbox }: Workplace, agentRun: AgentOutcome, submission: Submission): Promise<Verdict> {
  const { task, provider, unsealed, signal } = request;
  const verify: VerifyRequest = {
    task: task.task, submission: submission.change, reference: task.reference, hidden: task.hidden,
    environment: task.environment, t0Directory: task.t0Directory, provider, unsealed,
    ...(signal ? { signal } : {}),
  };
  if (agentRun.continuedNonce && agentRun.exec) return judge(verify, submission.change, sandbox, agentRun.exec, agentRun.continuedNonce);
  const verdict = await verifySubmission(verify);
  if (!submission.refused) return verdict;
  return { ...verdict, outcome: 'fail', reward: 0, note: submission.refused };
}
