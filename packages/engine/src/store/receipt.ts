import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { canonicalJson, type Verdict } from '@assay/protocol';

/** The signed, re-checkable record of a verdict: an Ed25519 signature over the canonical JSON of `payload`. */
export interface Receipt {
  payload: { type: 'assay/receipt@1'; trial: string; verdictSha256: string; outcome: Verdict['outcome']; reward: number | null; trust: Verdict['trust']['level']; digests: Verdict['digests'] };
  /** SPKI, base64. */
  publicKey: string;
  signature: string;
}

/** Signs with this machine's key, `$ASSAY_KEY` or `assay/receipt-key.pem` in the XDG configuration directory, made at first use. */
export async function makeReceipt(trial: string, verdict: Verdict): Promise<Receipt> {
  const payload: Receipt['payload'] = {
    type: 'assay/receipt@1', trial, verdictSha256: createHash('sha256').update(canonicalJson(verdict)).digest('hex'),
    outcome: verdict.outcome, reward: verdict.reward, trust: verdict.trust.level, digests: verdict.digests,
  };
  const key = createPrivateKey(await signingKey());
  return {
    payload,
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
    signature: sign(null, Buffer.from(canonicalJson(payload)), key).toString('base64'),
  };
}

let cached: Promise<string> | undefined;
const signingKey = (): Promise<string> => (cached ??= readOrMakeKey());

async function readOrMakeKey(): Promise<string> {
  const path = process.env['ASSAY_KEY'] ?? join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'assay', 'receipt-key.pem');
  const found = await readFile(path, 'utf8').catch(() => null);
  if (found) return found;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, pem, { mode: 0o600 });
  await rename(draft, path);
  // Two first uses at once: the later rename won, and that key is the one to go on with.
  return readFile(path, 'utf8');
}
