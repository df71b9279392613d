import { stat } from 'node:fs/promises';
import { AssayError, type Receipt, type ReceiptCheck } from '@assay/protocol';
import { sha256File } from '@assay/files/content-digest';
import { failed, passed, unchecked } from '@assay/judging/receipts/check-receipt';
import { isRepeatable, leavesOf } from '@assay/judging/receipts/receipt-results';
import { prefixDigest } from '@assay/judging/receipts/make-receipt';
import { compareResults } from './compare-results.ts';
import type { Rejudged, VerifyReceiptOptions } from './verification.ts';

/** Compares the digests of the bytes of the standard and the submission that are given. */
export async function checkStandardEvidence(
  { digests }: Receipt,
  { standard, submission }: VerifyReceiptOptions,
): Promise<ReceiptCheck[]> {
  return [
    await checkFile('standard', standard, digests.subject),
    await checkFile('submission', submission, digests.submission),
  ];
}

/**
 * Judges once more what can be repeated, and compares result by result; what a model or a person answered was computed
 * from the record already. Throws `BAD_OPTION` when standard or submission is needed and missing.
 */
export async function rejudgeByStandard(receipt: Receipt, options: VerifyReceiptOptions): Promise<Rejudged> {
  const { results, verdict } = receipt;
  const score = verdict.score ?? 'none';
  const recomputed = `not repeatable: the score of ${score} was computed again from what was answered`;
  if (results.records === undefined && !receipt.repeatable)
    return { check: failed('rejudge', 'not repeatable, and the record of the answers is withheld'), differences: null };
  const repeatable =
    results.records === undefined || [...leavesOf(results.records).values()].some((leaf) => isRepeatable([leaf]));
  if (!repeatable) return { check: passed('rejudge', recomputed), differences: null };
  const { rejudgeStandard, standard, submission, provider, signal } = options;
  if (standard === undefined || submission === undefined) {
    throw new AssayError('BAD_OPTION', {
      option: '--rejudge',
      detail: `say with ${standard === undefined ? '--standard' : '--submission'} what to judge again`,
    });
  }
  if (!rejudgeStandard)
    return { check: failed('rejudge', 'this program cannot judge by standards again'), differences: null };
  const now = await rejudgeStandard({
    receipt,
    standard,
    submission,
    provider: provider ?? receipt.sandbox.provider,
    signal,
  });
  const { compared, notRepeatable, differences } = compareResults(results, now);
  const rest = notRepeatable > 0 ? `; ${notRepeatable} ${recomputed}` : '';
  if (differences.length === 0)
    return { check: passed('rejudge', `${compared} results came out the same${rest}`), differences };
  return {
    check: failed('rejudge', `${differences.length} of ${compared} results came out otherwise${rest}`),
    differences,
  };
}

async function checkFile(name: string, path: string | undefined, expected: string): Promise<ReceiptCheck> {
  if (path === undefined) return unchecked(name, `not given; its digest is ${expected}`);
  const entry = await stat(path).catch(() => null);
  if (!entry?.isFile()) throw new AssayError('BAD_OPTION', { option: `--${name}`, detail: `${path} is no file` });
  const digest = prefixDigest(await sha256File(path));
  return digest === expected
    ? passed(name, digest)
    : failed(name, `${path} has the digest ${digest}, the receipt says ${expected}`);
}
