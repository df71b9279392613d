import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { canonicalJson, Job, Judgement, type Receipt, Trial, Verdict, type ReceiptCheck } from '@assay/protocol';
import type { z } from 'zod';
import { failed, passed } from '@assay/judging/receipts/check-receipt';
import { makeReceipt, prefixDigest } from '@assay/judging/receipts/make-receipt';
import { withholdRecords } from '@assay/judging/receipts/receipt-results';
import { subjectOfVerdict } from '@assay/judging/receipts/subject-of-verdict';
import { verdictOfJudgement } from '../../kinds/standard/verify-answer.ts';
import { readRegularFile } from '@assay/files/read-regular-file';

const MAX_BYTES = 64 * 1024 * 1024;

/** The directory of the trial that the receipt lies in; null when it lies anywhere else. */
export async function trialDirectoryOf(receiptFile: string): Promise<string | null> {
  const directory = dirname(resolve(receiptFile));
  if (basename(receiptFile) !== 'receipt.json') return null;
  return lstat(join(directory, 'trial.json')).then(
    (entry) => (entry.isFile() ? directory : null),
    () => null,
  );
}

/**
 * Whether verdict.json, judgement.json where there is one, trial.json and the job's job.json beside a receipt say what
 * the receipt says.
 */
export async function checkTrialFiles(receipt: Receipt, directory: string): Promise<ReceiptCheck[]> {
  return [
    await checkVerdictFile(receipt, directory),
    await checkTrialFile(receipt, directory),
    ...(await checkJobFile(receipt, directory)),
  ];
}

async function checkVerdictFile(receipt: Receipt, directory: string): Promise<ReceiptCheck> {
  const name = 'verdict.json';
  const verdict = await readJson(join(directory, name), Verdict);
  if (!verdict) return failed(name, 'it is missing or no verdict');
  if (!verdict.digests['task'] || !verdict.digests['submission'])
    return failed(name, 'it lacks the digests of task and submission');
  const judgement =
    receipt.scoring.rule === 'weighted-mean' ? await readJson(join(directory, 'judgement.json'), Judgement) : undefined;
  if (judgement === null) return failed('judgement.json', 'it is missing or no judgement');
  if (judgement && !agrees(verdict, judgement)) return failed(name, 'it does not follow from judgement.json');
  const made = makeReceipt(
    subjectOfVerdict(verdict, {
      task: '',
      judgement,
      provider: receipt.sandbox.provider,
      startedAt: new Date(receipt.startedAt),
      finishedAt: new Date(receipt.finishedAt),
    }),
    receipt.verifier.digest,
  );
  const expected = receipt.results.records === undefined ? { ...made, results: withholdRecords(made.results) } : made;
  const differing = (['verdict', 'results', 'digests', 'trust', 'sandbox', 'verifier', 'scoring'] as const).find(
    (key) => canonicalJson(expected[key]) !== canonicalJson(receipt[key]),
  );
  return differing === undefined
    ? passed(name, 'it says the same')
    : failed(name, `its ${differing} is not what the receipt says`);
}

function agrees(verdict: Verdict, judgement: Judgement): boolean {
  const { task = '', submission = '' } = verdict.digests;
  return canonicalJson(verdictOfJudgement(judgement, { task, submission })) === canonicalJson(verdict);
}

async function checkTrialFile({ subject, verdict }: Receipt, directory: string): Promise<ReceiptCheck> {
  const name = 'trial.json';
  const trial = await readJson(join(directory, name), Trial);
  if (!trial) return failed(name, 'it is no trial');
  const same =
    trial.id === subject.trial &&
    trial.task === subject.id &&
    trial.outcome === verdict.outcome &&
    trial.reward === verdict.reward;
  return same
    ? passed(name, `trial ${trial.id}`)
    : failed(
        name,
        `it is of ${trial.id} (${trial.outcome}), the receipt of ${subject.trial ?? 'no trial'} (${verdict.outcome})`,
      );
}

/** Nothing when the trial lies in no job. */
async function checkJobFile({ subject, digests }: Receipt, directory: string): Promise<ReceiptCheck[]> {
  const name = 'job.json';
  const job = await readJson(join(directory, '..', '..', name), Job);
  if (!job) return [];
  const task = job.tasks.find(({ id }) => id === subject.id);
  const same = task !== undefined && prefixDigest(task.digest) === digests.subject;
  return [
    same
      ? passed(name, `job ${job.id} names the same task`)
      : failed(name, `job ${job.id} names no task with this digest`),
  ];
}

async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    const bytes = await readRegularFile(path, MAX_BYTES);
    return bytes === null ? null : schema.parse(JSON.parse(bytes.toString('utf8')));
  } catch {
    return null;
  }
}
