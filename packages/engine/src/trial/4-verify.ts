import type { Canary, Verdict } from '@assay/protocol';
import { describeCanary } from '../canaries/make-canaries.ts';
import type { Workplace } from './1-prepare.ts';
import type { Collected } from './collected.ts';
import type { TaskVerdict } from '../kinds/kind.ts';
import { verifyByPolicy } from '../kinds/verify-by-policy.ts';
import type { Submission, TrialRequest } from './trial-request.ts';

/**
 * Stage 4: hidden tests and reference, or whatever else the task is graded by, meet the submission here, in the
 * verifier's own sandbox. When the verifier breaks down, this stage alone is tried again. Without a verdict on what the
 * agent left when its model failed: that says nothing about it.
 */
export async function verifyTrial(
  request: TrialRequest,
  workplace: Workplace | null,
  { agentRun, submission }: Collected,
): Promise<TaskVerdict> {
  const { task, provider, unsealed, model, signal } = request;
  const { status, statusDetail = '' } = agentRun;
  if (status === 'infrastructure') {
    const note = `the model of the agent failed${statusDetail === '' ? '' : `: ${statusDetail}`}`;
    return { verdict: task.brokenVerdict(submission.change, { provider, note }), provider: provider.name ?? 'unnamed' };
  }
  const continued = workplace && (await verifyContinued(request, workplace, agentRun, submission));
  const graded = continued ?? (await verifyByPolicy(task, submission.change, { provider, unsealed, model, signal }));
  const counted = { ...graded, verdict: withCanaries(graded.verdict, submission) };
  return status === 'budget' ? withNote(counted, `the agent's budget is spent: ${statusDetail}`) : counted;
}

/** With the seal `separate-verifier` off, the tests ran already, in the agent's own process tree. */
async function verifyContinued(
  { provider, unsealed }: TrialRequest,
  { sandbox, scene }: Workplace,
  { continued, exec }: Collected['agentRun'],
  { change }: Submission,
): Promise<TaskVerdict | null> {
  if (!scene?.grading || !continued || !exec) return null;
  const verdict = await scene.grading.verdictOf({ submission: change, sandbox, exec, provider, unsealed });
  return { verdict, provider: provider.name ?? 'unnamed' };
}

function withCanaries(verdict: Verdict, { canaries, refused }: Submission): Verdict {
  const { marked = [], planted = [] } = canaries ?? {};
  const found = planted.filter((_, index) => marked.some(({ canary }) => canary === index));
  if (found.length > 0) return forgedVerdict(verdict, found);
  return refused === undefined ? verdict : { ...verdict, outcome: 'fail', reward: 0, note: refused };
}

/** Overrules the tests: only whoever took a planted fix has its mark. */
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

/** Puts a note before the one that verdict and judgement have. */
function withNote(graded: TaskVerdict, text: string): TaskVerdict {
  const { verdict, judgement } = graded;
  const note = [text, verdict.note].filter((each) => each !== undefined).join('; ');
  return { ...graded, verdict: { ...verdict, note }, judgement: judgement && { ...judgement, note } };
}
