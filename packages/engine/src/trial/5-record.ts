import { basename, dirname, join } from 'node:path';
import type { Trajectory, Trial } from '@assay/protocol';
import { writeAtomic, writeJsonAtomic } from '@assay/files/atomic-write';
import { receiptText } from '@assay/judging/receipts/receipt-file';
import { subjectOfVerdict } from '@assay/judging/receipts/subject-of-verdict';
import { auditReasons } from '../trace/audit/audit-reasons.ts';
import { GRADE_FILE } from '../trace/read-trial.ts';
import { writeTrajectory } from '../trace/write-trajectory.ts';
import { forgetCollected, type Collected } from './collected.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';

/**
 * Stage 5: records the verdict with the reasons that the audit adds, and its receipt, and returns the result with these
 * reasons. `trial.json` comes last, by a rename: a trial without it did not happen.
 */
export async function recordTrial(
  request: TrialRequest,
  result: TrialResult,
  { manifest, submission: { canaries } }: Collected,
): Promise<TrialResult> {
  const { directory } = request;
  if (!directory) return result;
  const trajectory = await recordTrajectory(directory, result.trial);
  const reasons = await auditReasons({
    directory,
    trial: result.trial,
    verdict: result.verdict,
    submission: manifest,
    log: result.log,
    trajectory,
    canaries,
  });
  const told = withReasons(result, reasons);
  const { trial, verdict, judgement, grade, gradedBy } = told;
  await writeJsonAtomic(join(directory, 'verdict.json'), verdict);
  if (judgement) await writeJsonAtomic(join(directory, 'judgement.json'), judgement);
  if (grade) await writeJsonAtomic(join(directory, GRADE_FILE), grade);
  await writeAtomic(
    join(directory, 'receipt.json'),
    await receiptText(
      subjectOfVerdict(verdict, {
        task: trial.task,
        trial: trial.id,
        provider: gradedBy,
        judgement,
        startedAt: new Date(trial.startedAt),
        finishedAt: new Date(),
      }),
      await request.task.verifierDigest(),
    ),
  );
  await writeJsonAtomic(join(directory, 'trial.json'), trial);
  await forgetCollected(directory);
  return told;
}

/** Adds reasons to verdict and judgement alike. They never change a reward. */
function withReasons(result: TrialResult, reasons: readonly string[]): TrialResult {
  if (reasons.length === 0) return result;
  const { trial, verdict, judgement } = result;
  const trust = { ...verdict.trust, reasons: [...verdict.trust.reasons, ...reasons] };
  return {
    ...result,
    trial: { ...trial, trust },
    verdict: { ...verdict, trust },
    judgement: judgement && { ...judgement, trust },
  };
}

/**
 * `trajectory.json` of agents that ask a model. It can be made again from the lane's record, so that what an agent put
 * there never costs the trial.
 */
async function recordTrajectory(directory: string, { id, agent, agentVersion }: Trial): Promise<Trajectory | null> {
  const job = basename(dirname(dirname(directory)));
  return writeTrajectory(directory, { agent: { name: agent, version: agentVersion }, sessionId: `${job}/${id}` }).catch(
    () => null,
  );
}
