import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import { processIdentity } from '../process/process-identity.ts';

/**
 * Returns the directory for the state of this user's running sandboxes. It has a directory for each owner process,
 * named by its identity, and in that one for each sandbox. State that outlives its owner is removed by the next start.
 */
export function runtimeRoot(): string {
  const userId = process.getuid?.();
  // XDG_RUNTIME_DIR is private to its user: root's sandboxes, which run as others, could not pass through it.
  if (userId === 0) return '/run/assay';
  const given = process.env['XDG_RUNTIME_DIR'];
  return given?.startsWith('/') ? join(given, 'assay') : join(tmpdir(), `assay-${userId}`);
}

/** The identity of this process, with which the names of its directories and control groups begin. */
export function ownerIdentity(): string {
  const identity = processIdentity();
  if (identity === null) throw new AssayError('IMPOSSIBLE', { detail: '/proc/self is not readable' });
  return identity;
}

let own: string | undefined;

/** Makes and returns this process's own directory, which goes when the process ends. */
export function ownerDirectory(): string {
  if (own === undefined) {
    const directory = join(runtimeRoot(), ownerIdentity());
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    own = directory;
  }
  makePrivate(runtimeRoot());
  makePrivate(own);
  return own;
}

/** A name for a sandbox, unguessable and unique. */
export function newSandboxId(): string {
  return randomBytes(8).toString('hex');
}

/** Others may pass through (the user inside a sandbox has another id) but see and change nothing. */
export function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const entry = lstatSync(directory);
  if (!entry.isDirectory() || entry.uid !== process.getuid?.()) {
    throw new AssayError('UNSAFE_PATH', { path: directory, detail: 'it is not a directory of this user' });
  }
  if ((entry.mode & 0o777) !== 0o711) chmodSync(directory, 0o711);
}
