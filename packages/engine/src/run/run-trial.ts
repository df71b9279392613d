import { performance } from 'node:perf_hooks';
import type { Trial } from '@assay/protocol';
import { prepareTrial } from './1-prepare.ts';
import { runAgent } from './2-run-agent.ts';
import { collectSubmission } from './3-collect-submission.ts';
import { verifyTrial } from './4-verify.ts';
import { recordTrial } from './5-record.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';

/**
 * One trial, from an empty sandbox to a verdict. The order is the seal: the answer first meets the submission in stage 4, when
 * everything of the agent is dead and its sandbox gone.
 *
 * Rejects only when aborted or when this machine cannot do it; what the agent does, and what breaks around it, ends in the verdict.
 */
export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const startedAt = new Date();
  const start = performance.now();
  const workplace = await prepareTrial(request);
  try {
    const agentRun = await runAgent(request, workplace);
    const submission = await collectSubmission(request, workplace);
    const verdict = await verifyTrial(request, workplace, agentRun, submission);
    const trial: Trial = {
      version: 1,
      id: trialId(request),
      task: request.task.task.id,
      agent: workplace.agent.name,
      attempt: request.attempt,
      outcome: verdict.outcome,
      reward: verdict.reward,
      trust: verdict.trust,
      isolation: verdict.isolation,
      durationMs: Math.round(performance.now() - start),
      startedAt: startedAt.toISOString(),
      agentRun: {
        exitCode: agentRun.exec?.exitCode ?? null,
        timedOut: agentRun.exec?.timedOut ?? false,
        durationMs: Math.round(agentRun.exec?.durationMs ?? 0),
      },
      ...(verdict.note ? { note: verdict.note } : {}),
    };
    const result: TrialResult = {
      trial, verdict,
      log: agentRun.log,
      succeeded: workplace.scene?.succeeded({ verdict, log: agentRun.log, submission }) ?? verdict.reward === 1,
    };
    await recordTrial(request, result, submission);
    return result;
  } finally {
    await workplace.dispose();
  }
}

/** Stable for a job, so that resume finds what is done. */
export function trialId({ task, attempt }: Pick<TrialRequest, 'task' | 'attempt'>): string {
  return `${task.task.id}.${attempt}`;
}

