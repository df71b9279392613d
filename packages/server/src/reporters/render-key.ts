import type { KeyDescription } from '@assay/protocol';
import type { SigningKey } from '@assay/judging/receipts/key-file';
import type { Terminal } from './terminal.ts';

/** The public half alone, field by field, so that nothing else of a key can come along. */
export function describeKey({ path, keyId, publicKey }: SigningKey): KeyDescription {
  return { path, keyId, publicKey, pem: `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n` };
}

export function renderKey({ path, keyId, publicKey }: KeyDescription, terminal: Terminal): string {
  return `file        ${terminal.foreign(path)}\nkey id      ${keyId}\npublic key  ${publicKey}\n`;
}
