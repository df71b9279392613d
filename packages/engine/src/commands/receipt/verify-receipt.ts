import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import {
  AssayError,
  MAX_RECEIPT_BYTES,
  type Receipt,
  type ReceiptCheck,
  type ReceiptReport,
  type ResultDifference,
} from '@assay/protocol';
import { checkReceipt, failed, passed, unchecked } from '@assay/judging/receipts/check-receipt';
import { openEnvelope, whyNotSignedBy } from '@assay/judging/receipts/envelope';
import { trustedKeyId } from '@assay/judging/receipts/trusted-key';
import { verifierDigest as judgingDigest } from '@assay/judging/receipts/verifier-digest';
import { verifierDigest } from '../../kinds/verifier-digest.ts';
import { checkStandardEvidence, rejudgeByStandard } from './standard-evidence.ts';
import { checkTaskEvidence, rejudgeTask } from './task-evidence.ts';
import { checkTrialFiles, trialDirectoryOf } from './check-trial-files.ts';
import { readRegularFile } from '@assay/files/read-regular-file';
import type { Rejudged, VerifyReceiptOptions } from './verification.ts';

/**
 * Checks a receipt: form, signature, whether it agrees with itself, whether what it is about is what is given or lies
 * beside it, and with `rejudge` whether it comes out again.
 *
 * Throws `RECEIPT_UNREADABLE` when there is no such file, `BAD_OPTION` when the options do not fit it, and what running
 * the tests throws.
 */
export async function verifyReceipt(options: VerifyReceiptOptions): Promise<ReceiptReport> {
  const trusted = await trustedKeyId(options.trust);
  const bytes = await readReceipt(options.file);
  const report = (
    checks: ReceiptCheck[],
    receipt: Receipt | null = null,
    differences: ResultDifference[] | null = null,
  ): ReceiptReport => ({
    file: resolve(options.file),
    valid: checks.every(({ status }) => status !== 'fail'),
    checks,
    receipt,
    differences,
  });
  const opened = 'problem' in bytes ? bytes : openEnvelope(bytes);
  if ('problem' in opened) return report([failed('format', opened.problem)]);
  const format = passed('format', `DSSE with one signature, ${basename(options.file)}`);
  const unsigned = whyNotSignedBy(trusted, opened);
  if (unsigned !== null) return report([format, failed('signature', unsigned)]);
  const { receipt } = opened;
  refuseMisfits(receipt, options);
  const own = [
    format,
    passed('signature', `by the trusted key ${trusted.slice(0, 16)}…`),
    ...checkReceipt(receipt),
    await checkVerifier(receipt, options),
  ];
  const trialDirectory = await trialDirectoryOf(options.file);
  const beside = trialDirectory ? await checkTrialFiles(receipt, trialDirectory) : [];
  const sound = [...own, ...beside].every(({ status }) => status !== 'fail');
  const { checks, rejudged } = await checkEvidence(receipt, options, trialDirectory, sound);
  return report(
    [...own, ...beside, ...checks, ...(rejudged ? [rejudged.check] : [])],
    receipt,
    rejudged?.differences ?? null,
  );
}

/**
 * The digests of what is given or found, and running again, which makes sense only for a receipt that is sound so far.
 */
async function checkEvidence(
  receipt: Receipt,
  options: VerifyReceiptOptions,
  trialDirectory: string | null,
  sound: boolean,
): Promise<{ checks: ReceiptCheck[]; rejudged: Rejudged | null }> {
  const again = (checks: ReceiptCheck[], run: () => Promise<Rejudged>): Promise<Rejudged> | null => {
    if (options.rejudge !== true) return null;
    const holds = sound && checks.every(({ status }) => status !== 'fail');
    return holds
      ? run()
      : Promise.resolve({ check: unchecked('rejudge', 'not run, as the receipt does not hold'), differences: null });
  };
  if (receipt.subject.kind === 'task') {
    const evidence = await checkTaskEvidence(receipt, options, trialDirectory);
    return {
      checks: evidence.checks,
      rejudged: await again(evidence.checks, () => rejudgeTask(receipt, evidence, options)),
    };
  }
  const checks = await checkStandardEvidence(receipt, options);
  return { checks, rejudged: await again(checks, () => rejudgeByStandard(receipt, options)) };
}

/** Reads a regular file of bounded size, to which the path may be a link. Never waits for a pipe. */
async function readReceipt(path: string): Promise<Buffer | { problem: string }> {
  try {
    const target = await realpath(path);
    const entry = await stat(target);
    await access(target, constants.R_OK);
    if (!entry.isFile()) return { problem: 'it is no regular file' };
    return (
      (await readRegularFile(target, MAX_RECEIPT_BYTES)) ?? {
        problem: `the file is larger than ${MAX_RECEIPT_BYTES} bytes`,
      }
    );
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const detail =
      code === 'ENOENT' || code === 'ENOTDIR'
        ? 'there is no such file'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new AssayError('RECEIPT_UNREADABLE', { path, detail }, { cause: error });
  }
}

function refuseMisfits({ subject }: Receipt, { task, standard }: VerifyReceiptOptions): void {
  const [option, given] = subject.kind === 'task' ? ['--standard', standard] : ['--task', task];
  if (given !== undefined)
    throw new AssayError('BAD_OPTION', { option, detail: `the receipt is about a ${subject.kind}` });
}

async function checkVerifier({ verifier }: Receipt, { scenarios }: VerifyReceiptOptions): Promise<ReceiptCheck> {
  const known = await Promise.all([judgingDigest(), verifierDigest(), scenarios?.verifierDigest()]);
  const same = known.includes(verifier.digest);
  return same
    ? passed('verifier', `${verifier.name}, the same code as here`)
    : unchecked('verifier', `${verifier.name}, other code than here`);
}
