import { sign, verify } from 'node:crypto';
import { canonicalJson, MAX_RECEIPT_BYTES, Receipt, RECEIPT_TYPE, ReceiptEnvelope } from '@assay/protocol';
import type { z } from 'zod';
import { publicHalf, type SigningKey } from './key-file.ts';
import { withholdRecords } from './receipt-results.ts';
import { parsePublicKey } from './trusted-key.ts';

/** A receipt file that is well-formed. Nothing in it is to be believed before {@link whyNotSignedBy}. */
export interface OpenedReceipt {
  receipt: Receipt;
  keyId: string;
  payload: Buffer;
  signature: Buffer;
}

/**
 * The text of a receipt file: a DSSE envelope in canonical JSON and one line feed. Records that would make it larger
 * than `MAX_RECEIPT_BYTES` are left out; their root stays. Throws TypeError when the receipt is not by its schema,
 * which is a bug of the caller.
 */
export function signReceipt(unsigned: Omit<Receipt, 'signer'>, key: SigningKey): string {
  const text = envelopeText({ ...unsigned, signer: key.publicKey }, key);
  if (Buffer.byteLength(text) <= MAX_RECEIPT_BYTES) return text;
  return envelopeText({ ...unsigned, results: withholdRecords(unsigned.results), signer: key.publicKey }, key);
}

/**
 * Reads the bytes of a receipt file. There is exactly one way to write a receipt, and any other is refused, so that no
 * byte can be altered without notice: canonical JSON, canonical base64, no unknown field, one signature, one line feed
 * at the end. Answers with what is wrong, in one line, and never throws.
 */
export function openEnvelope(bytes: Uint8Array): OpenedReceipt | { problem: string } {
  if (bytes.length === 0) return { problem: 'the file is empty' };
  if (bytes.length > MAX_RECEIPT_BYTES) return { problem: `the file is larger than ${MAX_RECEIPT_BYTES} bytes` };
  const text = decodeUtf8(bytes);
  if (text === null) return { problem: 'the file is no text' };
  if (!text.endsWith('\n')) return { problem: 'the file does not end with a line feed: it was cut off, or altered' };
  const envelope = parseCanonical(text.slice(0, -1), ReceiptEnvelope, 'the envelope');
  if ('problem' in envelope) return envelope;
  const {
    payload,
    signatures: [{ keyid, sig }],
  } = envelope.value;
  const payloadBytes = decodeBase64(payload);
  const signature = decodeBase64(sig);
  if (!payloadBytes || !signature) return { problem: 'payload or signature is no canonical base64' };
  const payloadText = decodeUtf8(payloadBytes);
  if (payloadText === null) return { problem: 'the payload is no text' };
  const receipt = parseCanonical(payloadText, Receipt, 'the payload');
  if ('problem' in receipt) return receipt;
  return { receipt: receipt.value, keyId: keyid, payload: payloadBytes, signature };
}

/** Why the receipt is not signed by the key of that id; null when it is. */
export function whyNotSignedBy(
  trustedKeyId: string,
  { receipt, keyId, payload, signature }: OpenedReceipt,
): string | null {
  const key = parsePublicKey(receipt.signer);
  if (!key) return 'the signer is no ed25519 key';
  const signerId = publicHalf(key).keyId;
  if (keyId !== signerId) return 'the envelope names another key than the payload';
  if (signerId !== trustedKeyId) return `it is signed by the key ${signerId}, which is not the trusted one`;
  return verify(null, preAuthentication(payload), key, signature) ? null : 'the signature does not fit the payload';
}

function envelopeText(receipt: Receipt, key: SigningKey): string {
  const payload = Buffer.from(canonicalJson(receipt));
  const checked = Receipt.safeParse(JSON.parse(payload.toString('utf8')));
  if (!checked.success) throw new TypeError(`no receipt: ${describeIssue(checked.error)}`);
  const envelope: ReceiptEnvelope = {
    payloadType: RECEIPT_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid: key.keyId, sig: sign(null, preAuthentication(payload), key.privateKey).toString('base64') }],
  };
  return `${canonicalJson(envelope)}\n`;
}

/** DSSE's PAE: what is signed tells the type of the payload too. */
function preAuthentication(payload: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(RECEIPT_TYPE)} ${RECEIPT_TYPE} ${payload.length} `),
    payload,
  ]);
}

function parseCanonical<T>(text: string, schema: z.ZodType<T>, name: string): { value: T } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    const parsed = schema.safeParse(value);
    if (!parsed.success) return { problem: `${name} is not by the schema: ${describeIssue(parsed.error)}` };
    return canonicalJson(value) === text ? { value: parsed.data } : { problem: `${name} is not in canonical JSON` };
  } catch (error) {
    // Nested deeper than the stack takes.
    return { problem: error instanceof RangeError ? `${name} is nested too deeply` : `${name} is no JSON` };
  }
}

function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue
    ? `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`.slice(0, 300)
    : 'unknown';
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
