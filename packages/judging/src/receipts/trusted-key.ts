import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { AssayError } from '@assay/protocol';
import { publicHalf } from './key-file.ts';

const MAX_KEY_BYTES = 16 * 1024;
const KEY_ID = /^(?:sha256:)?([0-9a-f]{64})$/;

/**
 * The id of the key that a user trusts, from the id itself, a public key (SPKI in base64), or a file that holds a key
 * in PEM, in base64 or as an id. Throws `BAD_OPTION` when it is none of these.
 */
export async function trustedKeyId(given: string): Promise<string> {
  const literal = parseKeyText(given);
  if (literal !== null) return literal;
  const found = await stat(given).catch(() => null);
  if (!found) throw refuse(`${given} is no file, no key id and no public key`);
  if (!found.isFile() || found.size > MAX_KEY_BYTES) throw refuse(`${given} is no file with a key`);
  const text = (await readFile(given, 'utf8')).trim();
  const id = parseKeyText(text) ?? parsePem(text);
  if (id === null) throw refuse(`${given} holds no ed25519 key in PEM or base64, and no key id`);
  return id;
}

/** An ed25519 public key from the base64 of its SPKI, in exactly the one way that it is written; null otherwise. */
export function parsePublicKey(base64: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' && publicHalf(key).publicKey === base64 ? key : null;
  } catch {
    return null;
  }
}

function parseKeyText(text: string): string | null {
  const id = KEY_ID.exec(text)?.[1];
  if (id !== undefined) return id;
  const key = parsePublicKey(text);
  return key === null ? null : publicHalf(key).keyId;
}

function parsePem(text: string): string | null {
  // With several keys in one file it would be unclear which is meant.
  if (text.split('-----BEGIN ').length !== 2) return null;
  try {
    const key = createPublicKey(text);
    return key.asymmetricKeyType === 'ed25519' ? publicHalf(key).keyId : null;
  } catch {
    return null;
  }
}

function refuse(detail: string): AssayError {
  return new AssayError('BAD_OPTION', { option: '--trust', detail });
}
