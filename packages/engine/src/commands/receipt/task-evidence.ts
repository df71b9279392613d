import { join, resolve } from 'node:path';
import { AssayError, type Receipt, type ReceiptCheck } from '@assay/protocol';
import { chooseProvider, type SandboxProvider } from '@assay/sandbox';
import { readTask } from '../../bundle/read-task.ts';
import type { Task } from '../../bundle/task.ts';
import type { ChangeSet } from '@assay/files/change-set';
import { digestChange } from '@assay/files/digest-change';
import { failed, passed, unchecked } from '@assay/judging/receipts/check-receipt';
import { prefixDigest } from '@assay/judging/receipts/make-receipt';
import { isRepeatable, leavesOf } from '@assay/judging/receipts/receipt-results';
import { resultsOfJudgement } from '@assay/judging/receipts/subject-of-judgement';
import { resultsOfVerdict } from '@assay/judging/receipts/subject-of-verdict';
import { cacheDirectory } from '@assay/files/store/paths';
import { readSubmission } from '../grade.ts';
import { openReadTask } from '../../kinds/open-task.ts';
import { compareResults } from './compare-results.ts';
import { readRecordedSubmission } from '../../trace/recorded-submission.ts';
import type { Rejudged, VerifyReceiptOptions } from './verification.ts';

/** The task and the submission of a receipt, as far as they are there. */
export interface TaskEvidence {
  checks: ReceiptCheck[];
  task: Task | null;
  submission: ChangeSet | null;
}

/** Compares the digests of the task that is given, and of the submission that is given or lies beside the receipt. */
export async function checkTaskEvidence(
  receipt: Receipt,
  options: VerifyReceiptOptions,
  trialDirectory: string | null,
): Promise<TaskEvidence> {
  const found = await findTask(receipt, options.task);
  const task = 'task' in found ? found.task : null;
  const submitted = await findSubmission(receipt, options, trialDirectory, task);
  return {
    checks: [found.check, submitted.check],
    task,
    submission: 'submission' in submitted ? submitted.submission : null,
  };
}

/**
 * Grades the submission once more, in a fresh sandbox, and compares test by test. Throws `BAD_OPTION` when task or
 * submission is missing.
 */
export async function rejudgeTask(
  receipt: Receipt,
  { task, submission }: TaskEvidence,
  options: VerifyReceiptOptions,
): Promise<Rejudged> {
  const { provider: name, scenarios, signal } = options;
  const missing = task === null ? '--task' : submission === null ? '--submission' : null;
  if (missing !== null || !task || !submission)
    throw new AssayError('BAD_OPTION', { option: '--rejudge', detail: `say with ${missing} what to judge again` });
  if (!receipt.repeatable) return rejudgeAnswered(receipt, task, submission, options);
  const provider = await providerFor(receipt, name);
  const open = await openReadTask(task, { provider, cacheDirectory: cacheDirectory(), scenarios, signal });
  const { verdict, judgement, provider: ran } = await open.verify(submission, { provider, signal });
  if (verdict.outcome === 'invalid')
    return {
      check: failed('rejudge', `it could not be judged again: ${verdict.note ?? 'no reason'}`),
      differences: null,
    };
  const { compared, differences } = compareResults(
    receipt.results,
    judgement ? resultsOfJudgement(judgement) : resultsOfVerdict(verdict),
  );
  // A verdict can be forged outside the tests: only the trial knows the marks that a submission must not carry.
  const known = receipt.trust.level === 'forged' && receipt.verdict.outcome === 'fail';
  if (verdict.outcome !== receipt.verdict.outcome && !known)
    differences.push({ id: '(outcome)', recorded: receipt.verdict.outcome, now: verdict.outcome });
  const where = `${ran}, isolation ${verdict.isolation}`;
  if (differences.length === 0)
    return {
      check: passed('rejudge', `${compared} results and the outcome came out the same (${where})`),
      differences,
    };
  const unsealed = receipt.trust.level === 'unsealed' ? '; it was reached with a seal off, which is on here' : '';
  return { check: failed('rejudge', `${differences.length} came out otherwise (${where})${unsealed}`), differences };
}

/** Runs again what can be repeated where a model or a person answered the rest. */
async function rejudgeAnswered(
  receipt: Receipt,
  task: Task,
  submission: ChangeSet,
  { provider: name, scenarios, signal }: VerifyReceiptOptions,
): Promise<Rejudged> {
  const { records } = receipt.results;
  if (records === undefined)
    return { check: failed('rejudge', 'not repeatable, and the record of the answers is withheld'), differences: null };
  const nothing: Rejudged = { check: passed('rejudge', NOT_REPEATABLE), differences: null };
  if (![...leavesOf(records).values()].some((leaf) => isRepeatable([leaf]))) return nothing;
  const provider = await providerFor(receipt, name);
  const open = await openReadTask(task, { provider, cacheDirectory: cacheDirectory(), scenarios, signal });
  const now = await open.repeat?.(submission, { provider, signal });
  if (now === undefined) return nothing;
  const { compared, notRepeatable, differences } = compareResults(receipt.results, now);
  const rest = `; ${notRepeatable} ${NOT_REPEATABLE}`;
  if (differences.length === 0)
    return { check: passed('rejudge', `${compared} results came out the same${rest}`), differences };
  return {
    check: failed('rejudge', `${differences.length} of ${compared} results came out otherwise${rest}`),
    differences,
  };
}

const NOT_REPEATABLE =
  'not repeatable: a model or a person answered, and the score was computed again from what they said';

/**
 * The provider of a standard's cases may be one that only runs cases; what a task is graded with otherwise is a process
 * provider.
 */
async function providerFor(receipt: Receipt, name: string | undefined): Promise<SandboxProvider> {
  if (name !== undefined) return chooseProvider(name);
  const [first = ''] = receipt.sandbox.provider.split('+');
  return chooseProvider(['quickjs', 'none'].includes(first) ? undefined : first);
}

async function findTask(
  { digests }: Receipt,
  path: string | undefined,
): Promise<{ check: ReceiptCheck; task: Task } | { check: ReceiptCheck }> {
  if (path === undefined) return { check: unchecked('task', `not given; its digest is ${digests.subject}`) };
  try {
    const task = await readTask(path);
    const digest = prefixDigest(task.meta.digest);
    return digest === digests.subject
      ? { check: passed('task', digest), task }
      : { check: failed('task', `${path} has the digest ${digest}, the receipt says ${digests.subject}`) };
  } catch (error) {
    if (!AssayError.is(error) || error.code === 'TASK_NOT_FOUND') throw error;
    return { check: failed('task', error.message) };
  }
}

type Submitted = { check: ReceiptCheck; submission: ChangeSet } | { check: ReceiptCheck };

async function findSubmission(
  receipt: Receipt,
  options: VerifyReceiptOptions,
  trialDirectory: string | null,
  task: Task | null,
): Promise<Submitted> {
  const path = options.submission ?? (trialDirectory ? join(trialDirectory, 'submission') : undefined);
  if (path === undefined)
    return { check: unchecked('submission', `not given; its digest is ${receipt.digests.submission}`) };
  const recorded = await readRecordedSubmission(path);
  if (recorded && 'problem' in recorded) return { check: failed('submission', `${path}: ${recorded.problem}`) };
  if (recorded) return compareSubmission(receipt, recorded);
  if (options.submission === undefined) return { check: failed('submission', `${path} is no recorded submission`) };
  if (!task) {
    if (options.task !== undefined) return { check: unchecked('submission', 'not looked at, as the task is another') };
    throw new AssayError('BAD_OPTION', {
      option: '--submission',
      detail: 'a checkout or patch is a change against a task; give --task too',
    });
  }
  const { provider: name, scenarios, signal } = options;
  const provider = await providerFor(receipt, name);
  const open = await openReadTask(task, { provider, cacheDirectory: cacheDirectory(), scenarios, signal });
  return compareSubmission(receipt, await readSubmission(resolve(path), open));
}

function compareSubmission({ digests }: Receipt, submission: ChangeSet): Submitted {
  const digest = prefixDigest(digestChange(submission));
  if (digest !== digests.submission)
    return { check: failed('submission', `its digest is ${digest}, the receipt says ${digests.submission}`) };
  return { check: passed('submission', digest), submission };
}
