import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Trial } from '@assay/protocol';
import { writeChange } from '../files/apply-change.ts';
import { writeAtomic, writeJsonAtomic } from '../files/atomic-write.ts';
import { receiptText } from '../receipts/receipt-file.ts';
import { subjectOfVerdict } from '../receipts/subject-of-verdict.ts';
import { writeTrajectory } from '../trace/write-trajectory.ts';
import type { Submission } from './submission.ts';
import type { TrialRequest, TrialResult } from './trial-request.ts';

/** Stage 5: the trial's small files. `trial.json` comes last, by a rename: a trial without it did not happen. */
export async function recordTrial({ directory }: TrialRequest, { trial, verdict, judgement, gradedBy, log }: TrialResult, submission: Submission): Promise<void> {
  if (!directory) return;
  await mkdir(join(directory, 'logs'), { recursive: true });
  await writeFile(join(directory, 'logs', 'agent.txt'), log);
  const files = join(directory, 'submission', 'files');
  await mkdir(files, { recursive: true });
  await writeChange(submission.change, files);
  await writeJsonAtomic(join(directory, 'submission', 'manifest.json'), {
    files: submission.change.files.map(({ path, executable, content }) => ({ path, executable, size: content.length })),
    deleted: submission.change.deleted,
    dropped: submission.dropped,
  });
  await writeJsonAtomic(join(directory, 'verdict.json'), verdict);
  if (judgement) await writeJsonAtomic(join(directory, 'judgement.json'), judgement);
  await writeAtomic(join(directory, 'receipt.json'), await receiptText(subjectOfVerdict(verdict, {
    task: trial.task, trial: trial.id, provider: gradedBy, ...(judgement ? { judgement } : {}), startedAt: new Date(trial.startedAt), finishedAt: new Date(),
  })));
  await recordTrajectory(directory, trial);
  await writeJsonAtomic(join(directory, 'trial.json'), trial);
}

/** `trajectory.json` of agents that ask a model. It can be made again from the lane's record, so that what an agent put there never costs the trial. */
async function recordTrajectory(directory: string, { id, agent, agentVersion }: Trial): Promise<void> {
  const job = basename(dirname(dirname(directory)));
  await writeTrajectory(directory, { agent: { name: agent, ...(agentVersion === undefined ? {} : { version: agentVersion }) }, sessionId: `${job}/${id}` }).catch(() => false);
}
