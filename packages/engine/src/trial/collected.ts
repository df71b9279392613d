import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentStatus, SealCheckRecord, TrialCanaries, TrialUsage, SubmissionManifest } from '@assay/protocol';
import { z } from 'zod';
import { writeChange } from '@assay/files/apply-change';
import { writeJsonAtomic } from '@assay/files/atomic-write';
import { CANARIES_FILE } from '../trace/audit/read-canaries.ts';
import { readRecordedSubmission } from '../trace/recorded-submission.ts';
import { newLines } from './new-lines.ts';
import type { AgentOutcome, Submission, TrialRequest } from './trial-request.ts';

/** Says that the agent has worked and its submission is on record; gone once the trial is. */
const FILE = 'collected.json';

const CollectedFile = z.strictObject({
  version: z.literal(1),
  /** Digest of the task that the agent worked at. */
  task: z.string(),
  startedAt: z.string(),
  /** Milliseconds until then. */
  durationMs: z.number(),
  agentRun: z.strictObject({
    status: AgentStatus,
    statusDetail: z.string().optional(),
    note: z.string().optional(),
    usage: TrialUsage.optional(),
    exec: z.strictObject({ exitCode: z.number(), timedOut: z.boolean(), durationMs: z.number() }).nullable(),
  }),
  sealCheck: SealCheckRecord.optional(),
  dropped: z.array(z.object({ path: z.string(), reason: z.string() })),
  refused: z.string().optional(),
  canaries: TrialCanaries.optional(),
});

/** A trial after stage 3: what the agent did and left. From here on the agent is needed no more. */
export interface Collected {
  /** The submission as it stands on record; null when nothing is recorded. */
  manifest: SubmissionManifest | null;
  agentRun: AgentOutcome;
  submission: Submission;
  /** Absent when no agent was started. */
  sealCheck?: SealCheckRecord;
  /** ISO 8601. */
  startedAt: string;
  /** Milliseconds until then. */
  durationMs: number;
}

/**
 * Puts a submission on record: its files and manifest, the log, the canaries. With `resumable`, a killed trial goes on
 * from here with stage 4.
 */
export async function recordCollected(
  { directory, task }: TrialRequest,
  { agentRun, submission, sealCheck, startedAt, durationMs }: Omit<Collected, 'manifest'>,
  { resumable }: { resumable: boolean },
): Promise<SubmissionManifest | null> {
  if (!directory) return null;
  const { canaries, dropped, refused } = submission;
  await mkdir(join(directory, 'logs'), { recursive: true });
  await writeFile(join(directory, 'logs', 'agent.txt'), agentRun.log);
  const manifest = await recordSubmission(directory, task, submission);
  if (canaries) await writeJsonAtomic(join(directory, CANARIES_FILE), canaries satisfies TrialCanaries);
  if (!resumable) return manifest;
  const { status, statusDetail, note, usage, exec } = agentRun;
  await writeJsonAtomic(join(directory, FILE), {
    version: 1,
    task: task.task.meta.digest,
    startedAt,
    durationMs,
    agentRun: {
      status,
      statusDetail,
      note,
      usage,
      exec: exec && { exitCode: exec.exitCode, timedOut: exec.timedOut ?? false, durationMs: exec.durationMs ?? 0 },
    },
    sealCheck,
    dropped,
    refused,
    canaries,
  } satisfies z.input<typeof CollectedFile>);
  return manifest;
}

/**
 * Reads what a killed trial had collected; null when it did not get that far. Removes a record of another task, or one
 * that Assay did not write, with everything beside it, so that the trial begins anew.
 */
export async function readCollected({ directory, task }: TrialRequest): Promise<Collected | null> {
  if (!directory) return null;
  const text = await readFile(join(directory, FILE), 'utf8').catch(() => null);
  if (text === null) return null;
  const collected = await restore(directory, text, task);
  if (collected === null) await rm(directory, { recursive: true, force: true });
  return collected;
}

async function restore(directory: string, text: string, task: TrialRequest['task']): Promise<Collected | null> {
  const parsed = CollectedFile.safeParse(parseJson(text)).data;
  if (parsed?.task !== task.task.meta.digest) return null;
  const change = await readRecordedSubmission(join(directory, 'submission'));
  if (change === null || 'problem' in change) return null;
  const manifest = SubmissionManifest.parse(
    JSON.parse(await readFile(join(directory, 'submission', 'manifest.json'), 'utf8')),
  );
  const log = await readFile(join(directory, 'logs', 'agent.txt'), 'utf8').catch(() => '');
  const { agentRun, dropped, refused, canaries, sealCheck, startedAt, durationMs } = parsed;
  const exec = agentRun.exec && { ...agentRun.exec, stdout: log, stderr: '' };
  return {
    manifest,
    agentRun: { ...agentRun, exec, log },
    submission: { change, dropped, refused, canaries },
    sealCheck,
    startedAt,
    durationMs,
  };
}

/** Whether a directory of a trial holds what {@link readCollected} may read: such a one is not cleared. */
export const hasCollected = (directory: string): Promise<boolean> =>
  readFile(join(directory, FILE)).then(
    () => true,
    () => false,
  );

/** Once `trial.json` is there. */
export const forgetCollected = (directory: string): Promise<void> => rm(join(directory, FILE), { force: true });

async function recordSubmission(
  directory: string,
  task: TrialRequest['task'],
  { change, dropped }: Submission,
): Promise<SubmissionManifest> {
  const files = join(directory, 'submission', 'files');
  await mkdir(files, { recursive: true });
  await writeChange(change, files);
  const listed: SubmissionManifest['files'] = [];
  for (const file of change.files) {
    const { path, executable, content } = file;
    listed.push({ path, executable, size: content.length, newLines: await newLines(file, task) });
  }
  const manifest = { files: listed, deleted: change.deleted, dropped };
  await writeJsonAtomic(join(directory, 'submission', 'manifest.json'), manifest);
  return manifest;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
