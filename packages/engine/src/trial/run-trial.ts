import { performance } from 'node:perf_hooks';
import { AssayError, type SealCheckRecord, type Trial } from '@assay/protocol';
import { prepareTrial, type Workplace } from './1-prepare.ts';
import { runAgent, type AgentOutcome } from './2-run-agent.ts';
import { collectSubmission } from './3-collect-submission.ts';
import { verifyTrial } from './4-verify.ts';
import { recordTrial } from './5-record.ts';
import type { Submission } from './submission.ts';
import type { TaskVerdict } from '../kinds/kind.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';
import { withNote } from './with-note.ts';

/**
 * One trial, from an empty sandbox to a verdict. The order is the seal: the answer first meets the submission in stage
 * 4, when everything of the agent is dead and its sandbox gone.
 *
 * Rejects only when aborted or when this machine cannot do it; what the agent does, and what breaks around it, ends in
 * the verdict.
 */
export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const startedAt = new Date();
  const start = performance.now();
  const end = await attempt(request);
  const {
    agentRun,
    graded: { verdict, judgement, grade, provider: gradedBy, missing },
  } = end;
  const note = [agentRun.note, verdict.note].filter((text) => text !== undefined).join('; ');
  const { discarded } = request;
  const trial: Trial = {
    version: 1,
    id: trialId(request),
    task: request.task.task.id,
    agent: agentName(request),
    ...('cheat' in request.agent || request.agent.version === undefined ? {} : { agentVersion: request.agent.version }),
    attempt: request.attempt,
    outcome: verdict.outcome,
    reward: verdict.reward,
    trust: verdict.trust,
    isolation: verdict.isolation,
    durationMs: Math.round(performance.now() - start),
    startedAt: startedAt.toISOString(),
    agentRun: {
      status: agentRun.status,
      exitCode: agentRun.exec?.exitCode ?? null,
      timedOut: agentRun.exec?.timedOut ?? false,
      durationMs: Math.round(agentRun.exec?.durationMs ?? 0),
    },
    ...(end.sealCheck ? { sealCheck: end.sealCheck } : {}),
    ...(agentRun.usage ? { usage: agentRun.usage } : {}),
    ...(discarded ? { discarded } : {}),
    ...(note === '' ? {} : { note }),
  };
  const result: TrialResult = {
    trial,
    verdict,
    log: agentRun.log,
    succeeded: end.succeeded,
    gradedBy,
    ...(judgement ? { judgement } : {}),
    ...(grade ? { grade } : {}),
    ...(missing ? { missing } : {}),
  };
  return recordTrial(request, result, end.submission);
}

interface Attempt {
  agentRun: AgentOutcome;
  submission: Submission;
  graded: TaskVerdict;
  succeeded: boolean;
  sealCheck: SealCheckRecord | undefined;
}

/** Stages 1 to 4. What breaks around an agent is no score: the verdict is `invalid` then. */
async function attempt(request: TrialRequest): Promise<Attempt> {
  let agentRun: AgentOutcome = { exec: null, log: '', status: 'infrastructure' };
  let sealCheck: SealCheckRecord | undefined;
  try {
    const workplace = await prepareTrial(request);
    sealCheck = workplace.sealCheck;
    try {
      agentRun = await runAgent(request, workplace, agentRun);
      const submission = await collectSubmission(request, workplace);
      const graded = await gradeTrial(request, workplace, agentRun, submission);
      const { verdict } = graded;
      const succeeded = workplace.scene?.succeeded({ verdict, log: agentRun.log, submission }) ?? verdict.reward === 1;
      return { agentRun, submission, graded, succeeded, sealCheck };
    } finally {
      await workplace.dispose();
    }
  } catch (error) {
    request.signal?.throwIfAborted();
    if (!AssayError.is(error) || error.kind !== 'infrastructure') throw error;
    const submission: Submission = { change: { files: [], deleted: [] }, dropped: [] };
    const { task, provider } = request;
    const verdict = task.brokenVerdict(submission.change, { provider, note: error.message });
    return {
      agentRun,
      submission,
      graded: { verdict, provider: provider.name ?? 'unnamed' },
      succeeded: false,
      sealCheck,
    };
  }
}

/** Stage 4, unless the agent's model failed: what it left says nothing about it then. */
async function gradeTrial(
  request: TrialRequest,
  workplace: Workplace,
  agentRun: AgentOutcome,
  submission: Submission,
): Promise<TaskVerdict> {
  const { task, provider } = request;
  const { status, statusDetail } = agentRun;
  if (status === 'infrastructure') {
    const note = `the model of the agent failed${statusDetail === undefined ? '' : `: ${statusDetail}`}`;
    return { verdict: task.brokenVerdict(submission.change, { provider, note }), provider: provider.name ?? 'unnamed' };
  }
  const graded = await verifyTrial(request, workplace, agentRun, submission);
  return status === 'budget' ? withNote(graded, `the agent's budget is spent: ${statusDetail ?? ''}`) : graded;
}

const agentName = ({ agent }: TrialRequest): string => ('cheat' in agent ? `cheat:${agent.cheat}` : agent.name);

/** Stable for a job, so that resume finds what is done. */
export function trialId({ task, attempt }: Pick<TrialRequest, 'task' | 'attempt'>): string {
  return `${task.task.id}.${attempt}`;
}
