import { performance } from 'node:perf_hooks';
import { AssayError, type Trial } from '@assay/protocol';
import type { TaskVerdict } from '../kinds/kind.ts';
import { prepareTrial, type Workplace } from './1-prepare.ts';
import { runAgent } from './2-run-agent.ts';
import { collectSubmission } from './3-collect-submission.ts';
import { verifyTrial } from './4-verify.ts';
import { recordTrial } from './5-record.ts';
import { readCollected, recordCollected, type Collected } from './collected.ts';
import type { AgentOutcome, TrialRequest, TrialResult } from './trial-request.ts';

/**
 * One trial, from an empty sandbox to a verdict. The order is the seal: the answer first meets the submission in stage
 * 4, when everything of the agent is dead and its sandbox gone. A trial that was killed after its submission was put on
 * record goes on with stage 4.
 *
 * Rejects only when aborted or when this machine cannot do it; what the agent does, and what breaks around it, ends in
 * the verdict.
 */
export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const start = performance.now();
  const earlier = await readCollected(request);
  const end = earlier ? await goOn(request, earlier) : await beginAnew(request);
  const { collected, graded } = end;
  const { verdict, judgement, grade, provider: gradedBy } = graded;
  const result: TrialResult = {
    trial: trialOf(request, end, Math.round(performance.now() - start + (earlier?.durationMs ?? 0))),
    verdict,
    log: collected.agentRun.log,
    succeeded: end.succeeded,
    gradedBy,
    broke: end.broke,
    judgement,
    grade,
  };
  return recordTrial(request, result, collected);
}

/** The state of a trial after stage 4. */
interface TrialEnd {
  collected: Collected;
  graded: TaskVerdict;
  succeeded: boolean;
  broke: TrialResult['broke'];
}

/** Runs stage 4 alone. */
async function goOn(request: TrialRequest, collected: Collected): Promise<TrialEnd> {
  const graded = await verifyTrial(request, null, collected);
  return { collected, graded, succeeded: graded.verdict.reward === 1, broke: brokeAt(collected.agentRun, graded) };
}

/** Runs stages 1 to 4. When something around the agent breaks, the verdict is `invalid` and no score. */
async function beginAnew(request: TrialRequest): Promise<TrialEnd> {
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const agentRun: AgentOutcome = { exec: null, log: '', status: 'infrastructure' };
  let workplace: Workplace | undefined;
  try {
    workplace = await prepareTrial(request);
    const ran = await runAgent(request, workplace, agentRun);
    const submission = await collectSubmission(request, workplace);
    const { sealCheck, scene } = workplace;
    // Records of its lanes are complete once everything of the agent is gone.
    if (scene === null) await workplace.dispose();
    const durationMs = performance.now() - start;
    const found = { agentRun: ran, submission, sealCheck, startedAt, durationMs };
    const resumable = scene === null && ran.status !== 'infrastructure';
    const collected = { ...found, manifest: await recordCollected(request, found, { resumable }) };
    const graded = await verifyTrial(request, workplace, collected);
    const { verdict } = graded;
    const succeeded = scene?.succeeded({ verdict, log: ran.log, submission }) ?? verdict.reward === 1;
    return { collected, graded, succeeded, broke: brokeAt(ran, graded) };
  } catch (error) {
    request.signal?.throwIfAborted();
    if (!AssayError.is(error) || error.kind !== 'infrastructure') throw error;
    const found = {
      agentRun,
      submission: { change: { files: [], deleted: [] }, dropped: [] },
      sealCheck: workplace?.sealCheck,
      startedAt,
      durationMs: performance.now() - start,
    };
    const collected = { ...found, manifest: await recordCollected(request, found, { resumable: false }) };
    const { task, provider } = request;
    const verdict = task.brokenVerdict(found.submission.change, { provider, note: error.message });
    return { collected, graded: { verdict, provider: provider.name ?? 'unnamed' }, succeeded: false, broke: 'agent' };
  } finally {
    await workplace?.dispose();
  }
}

function brokeAt({ status }: AgentOutcome, { verdict, missing }: TaskVerdict): TrialResult['broke'] {
  if (verdict.outcome !== 'invalid') return undefined;
  if (status === 'infrastructure') return 'agent';
  return missing === undefined ? 'verifier' : 'judge';
}

/** Returns the content of trial.json. */
function trialOf(request: TrialRequest, { collected, graded: { verdict } }: TrialEnd, durationMs: number): Trial {
  const { task, agent, attempt, discarded } = request;
  const { agentRun, sealCheck, startedAt } = collected;
  const { status, exec, usage } = agentRun;
  const note = [agentRun.note, verdict.note].filter((text) => text !== undefined).join('; ');
  return {
    version: 1,
    id: trialId(request),
    task: task.task.id,
    agent: 'cheat' in agent ? `cheat:${agent.cheat}` : agent.name,
    agentVersion: 'cheat' in agent ? undefined : agent.version,
    attempt,
    outcome: verdict.outcome,
    reward: verdict.reward,
    trust: verdict.trust,
    isolation: verdict.isolation,
    durationMs,
    startedAt,
    agentRun: {
      status,
      exitCode: exec?.exitCode ?? null,
      timedOut: exec?.timedOut ?? false,
      durationMs: Math.round(exec?.durationMs ?? 0),
    },
    sealCheck,
    usage,
    discarded,
    note: note === '' ? undefined : note,
  };
}

/** Returns an id that is stable within a job, so that resume finds finished trials. */
export function trialId({ task, attempt }: Pick<TrialRequest, 'task' | 'attempt'>): string {
  return `${task.task.id}.${attempt}`;
}
