import { access, constants, lstat, open, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AssayError } from '@assay/protocol';
import { unwritable } from '@assay/files/output-place';
import { signReceipt } from './envelope.ts';
import { signingKey } from './key-file.ts';
import { makeReceipt, type ReceiptSubject } from './make-receipt.ts';
import { verifierDigest } from './verifier-digest.ts';

/**
 * The text of the signed receipt, by this machine's key. `digest`: of the code that reached the verdict. Throws
 * `KEY_UNUSABLE`.
 */
export async function receiptText(subject: ReceiptSubject, digest?: string): Promise<string> {
  return signReceipt(makeReceipt(subject, digest ?? (await verifierDigest())), await signingKey());
}

/**
 * Makes sure that a receipt can be signed and has a place, and answers with what writes it. Throws `KEY_UNUSABLE`,
 * `OUTPUT_UNWRITABLE` also when something is there: receipts are never overwritten.
 */
export async function openReceiptFile(
  path: string,
): Promise<(...parts: Parameters<typeof receiptText>) => Promise<void>> {
  const occupied = (): AssayError =>
    new AssayError('OUTPUT_UNWRITABLE', { path, detail: 'something is there, and receipts are never overwritten' });
  if (await lstat(path).catch(() => null)) throw occupied();
  const parent = await stat(dirname(resolve(path))).catch(() => null);
  if (!parent?.isDirectory())
    throw new AssayError('BAD_OPTION', {
      option: '--receipt',
      detail: `there is no directory ${dirname(resolve(path))}`,
    });
  await access(dirname(resolve(path)), constants.W_OK).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  await signingKey();
  return async (...parts) => {
    const text = await receiptText(...parts);
    const file = await open(path, 'wx').catch((error: unknown) => {
      throw error instanceof Error && 'code' in error && error.code === 'EEXIST' ? occupied() : unwritable(path, error);
    });
    try {
      await file.writeFile(text);
    } catch (error) {
      await rm(path, { force: true });
      throw unwritable(path, error);
    } finally {
      await file.close();
    }
  };
}
