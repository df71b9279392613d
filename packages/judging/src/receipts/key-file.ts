import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AssayError } from '@assay/protocol';
import { sha256 } from '@assay/files/content-digest';
import { makeOutputDirectory, unwritable } from '@assay/files/output-place';

/** The public half of a key, and how receipts name it. */
export interface PublicKey {
  /** sha256 hex of the SPKI. */
  keyId: string;
  /** SPKI, base64. */
  publicKey: string;
}

export interface SigningKey extends PublicKey {
  path: string;
  privateKey: KeyObject;
}

const MAX_KEY_BYTES = 16 * 1024;

/** `$ASSAY_KEY`, else `assay/receipt-key.pem` in the XDG configuration directory. */
export function keyPath(): string {
  const given = process.env['ASSAY_KEY'];
  if (given) return resolve(given);
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'assay', 'receipt-key.pem');
}

/** The key that signs, made at first use. Throws `KEY_UNUSABLE` as {@link readKey} does. */
export async function signingKey(path = keyPath()): Promise<SigningKey> {
  const found = await readKeyIfAny(path);
  if (found) return found;
  // When two processes start at once, one makes the key and the other reads it.
  return createKey(path).catch((error: unknown) =>
    AssayError.is(error) && error.code === 'KEY_EXISTS' ? readKey(path) : Promise.reject(error),
  );
}

/**
 * A new ed25519 key in a file of mode 0600. Throws `KEY_EXISTS` when anything at all is there: a key is never
 * overwritten; and `OUTPUT_UNWRITABLE`.
 */
export async function createKey(path: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  await makeOutputDirectory(dirname(path), 0o700);
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike a rename, a link replaces nothing, and shows the key whole from its first moment on.
    await link(draft, path);
  } catch (error) {
    throw errorCode(error) === 'EEXIST'
      ? new AssayError('KEY_EXISTS', { path }, { cause: error })
      : unwritable(path, error);
  } finally {
    await rm(draft, { force: true });
  }
  return { path, privateKey, ...publicHalf(privateKey) };
}

/**
 * Throws `KEY_MISSING`, and `KEY_UNUSABLE` unless it is a regular file (no link to one) that belongs to this user, that
 * nobody else can read or write, and that holds an ed25519 private key.
 */
export async function readKey(path = keyPath()): Promise<SigningKey> {
  const key = await readKeyIfAny(path);
  if (!key) throw new AssayError('KEY_MISSING', { path });
  return key;
}

async function readKeyIfAny(path: string): Promise<SigningKey | null> {
  const refuse = (detail: string, cause?: unknown): AssayError =>
    new AssayError('KEY_UNUSABLE', { path, detail }, { cause });
  const entry = await lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw refuse(error instanceof Error ? error.message : String(error), error);
  });
  if (!entry) return null;
  if (entry.isSymbolicLink()) throw refuse('it is a link; name the file itself');
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw refuse(error instanceof Error ? error.message : String(error), error);
    },
  );
  try {
    const { uid, mode, size, ...stat } = await file
      .stat()
      .then((found) => ({ uid: found.uid, mode: found.mode, size: found.size, isFile: found.isFile() }));
    if (!stat.isFile) throw refuse('it is no regular file');
    if (process.getuid && uid !== process.getuid()) throw refuse('it belongs to another user');
    if ((mode & 0o077) !== 0)
      throw refuse(`others may read or write it (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${path}`);
    if (size > MAX_KEY_BYTES) throw refuse('it is too large for a key');
    return { path, ...parsePrivateKey(await file.readFile(), refuse) };
  } finally {
    await file.close();
  }
}

function parsePrivateKey(
  bytes: Buffer,
  refuse: (detail: string, cause?: unknown) => AssayError,
): PublicKey & { privateKey: KeyObject } {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(bytes);
  } catch (error) {
    throw refuse('it holds no private key in PEM without a passphrase', error);
  }
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw refuse(`it holds a key of type ${privateKey.asymmetricKeyType}, not ed25519`);
  return { privateKey, ...publicHalf(privateKey) };
}

/** The public half of a private or public key. */
export function publicHalf(key: KeyObject): PublicKey {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' });
  return { keyId: sha256(spki), publicKey: spki.toString('base64') };
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
