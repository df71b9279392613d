import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Trial, TrialCanaries } from '@assay/protocol';
import { writeChange } from '@assay/files/apply-change';
import { writeAtomic, writeJsonAtomic } from '@assay/files/atomic-write';
import { receiptText } from '@assay/judging/receipts/receipt-file';
import { subjectOfVerdict } from '@assay/judging/receipts/subject-of-verdict';
import type { Trajectory } from '../trace/atif.ts';
import { auditReasons } from '../trace/audit/audit-reasons.ts';
import { CANARIES_FILE } from '../trace/audit/read-canaries.ts';
import { GRADE_FILE, type SubmissionManifest } from '../trace/read-trial.ts';
import { writeTrajectory } from '../trace/write-trajectory.ts';
import { newLines } from './new-lines.ts';
import type { Submission } from './submission.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';

/**
 * Stage 5: the trial's small files, and what its audit adds to the reasons of the verdict, which is recorded and
 * answered with these. `trial.json` comes last, by a rename: a trial without it did not happen.
 */
export async function recordTrial(
  request: TrialRequest,
  result: TrialResult,
  submission: Submission,
): Promise<TrialResult> {
  const { directory } = request;
  if (!directory) return result;
  const { log } = result;
  await mkdir(join(directory, 'logs'), { recursive: true });
  await writeFile(join(directory, 'logs', 'agent.txt'), log);
  const manifest = await recordSubmission(directory, request, submission);
  const { canaries } = submission;
  if (canaries) await writeJsonAtomic(join(directory, CANARIES_FILE), canaries satisfies TrialCanaries);
  const trajectory = await recordTrajectory(directory, result.trial);
  const reasons = await auditReasons({
    directory,
    trial: result.trial,
    verdict: result.verdict,
    submission: manifest,
    log,
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
        ...(judgement ? { judgement } : {}),
        startedAt: new Date(trial.startedAt),
        finishedAt: new Date(),
      }),
      await request.task.verifierDigest(),
    ),
  );
  await writeJsonAtomic(join(directory, 'trial.json'), trial);
  return told;
}

async function recordSubmission(
  directory: string,
  { task }: TrialRequest,
  { change, dropped }: Submission,
): Promise<SubmissionManifest> {
  const files = join(directory, 'submission', 'files');
  await mkdir(files, { recursive: true });
  await writeChange(change, files);
  const listed: SubmissionManifest['files'] = [];
  for (const file of change.files) {
    const { path, executable, content } = file;
    const lines = await newLines(file, task);
    listed.push({ path, executable, size: content.length, ...(lines ? { newLines: lines } : {}) });
  }
  const manifest = { files: listed, deleted: change.deleted, dropped };
  await writeJsonAtomic(join(directory, 'submission', 'manifest.json'), manifest);
  return manifest;
}

/** Reasons stand beside a reward and never change it. A judgement and the verdict on it say the same. */
function withReasons(result: TrialResult, reasons: readonly string[]): TrialResult {
  if (reasons.length === 0) return result;
  const { trial, verdict, judgement } = result;
  const trust = { ...verdict.trust, reasons: [...verdict.trust.reasons, ...reasons] };
  return {
    ...result,
    trial: { ...trial, trust },
    verdict: { ...verdict, trust },
    ...(judgement ? { judgement: { ...judgement, trust } } : {}),
  };
}

/**
 * `trajectory.json` of agents that ask a model. It can be made again from the lane's record, so that what an agent put
 * there never costs the trial.
 */
async function recordTrajectory(directory: string, { id, agent, agentVersion }: Trial): Promise<Trajectory | null> {
  const job = basename(dirname(dirname(directory)));
  return writeTrajectory(directory, {
    agent: { name: agent, ...(agentVersion === undefined ? {} : { version: agentVersion }) },
    sessionId: `${job}/${id}`,
  }).catch(() => null);
}
