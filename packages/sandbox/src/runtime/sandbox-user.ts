import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import { sandboxOwner, type Owner } from '../owner.ts';
import { ownerIdentity, runtimeRoot } from './runtime-directory.ts';

/** Above the ranges that distributions and container managers use, below 2^31, the limit of some programs. */
const FIRST = 1_900_000_000;
const LAST = FIRST + 100_000;
/** The id before a sandbox's own is what root inside a container is mapped to. */
const STEP = 2;

/**
 * The host's user that one sandbox runs as. The kernel counts pipes, watches, signals and descriptors in flight for
 * each user, and so for each sandbox. Sandboxes that share a user hold a reference each.
 */
export class SandboxUser implements Owner {
  readonly uid: number;
  readonly gid: number;
  readonly #lock: string;
  #references = 1;

  private constructor(uid: number, lock: string) {
    this.uid = uid;
    this.gid = uid;
    this.#lock = lock;
  }

  /** Takes a user that no other sandbox of this machine has; `null` when rootless. Throws `SANDBOX_START_FAILED`. */
  static take(): SandboxUser | null {
    if (!sandboxOwner) return null;
    mkdirSync(usersDirectory(), { recursive: true, mode: 0o700 });
    const count = (LAST - FIRST) / STEP;
    const start = Math.floor(Math.random() * count);
    for (let step = 1; step <= count; step += 1) {
      const uid = FIRST + ((start + step) % count) * STEP + 1;
      const lock = join(usersDirectory(), String(uid));
      if (claim(lock)) return new SandboxUser(uid, lock);
    }
    throw new AssayError('SANDBOX_START_FAILED', { provider: 'stage', detail: 'every user id for sandboxes is taken' });
  }

  /** Adds a reference, which has to be released as well. */
  share(): this {
    this.#references += 1;
    return this;
  }

  /** Drops a reference. With the last one the id is free again: nothing may run as this user any longer. */
  release(): void {
    this.#references -= 1;
    if (this.#references === 0) rmSync(this.#lock, { force: true });
  }
}

/**
 * The ids for sandboxes that some process of this machine runs as. A sandbox's root, where it has one, counts as the
 * id of the sandbox.
 */
export function usersInUse(): Set<number> {
  const users = new Set<number>();
  for (const pid of readdirSync('/proc')) {
    const uid = /^\d+$/.test(pid) ? userOf(pid) : null;
    if (uid !== null && uid >= FIRST && uid <= LAST && !isZombie(pid)) users.add(uid + ((uid + 1) % STEP));
  }
  return users;
}

/** Holds a file for each taken id, with the identity of the process that took it. */
export function usersDirectory(): string {
  return join(runtimeRoot(), 'users');
}

/** Returns the identity of the process that took an id, or null when it is free. */
export function takerOf(lock: string): string | null {
  try {
    return readFileSync(lock, 'utf8');
  } catch {
    return null;
  }
}

function userOf(pid: string): number | null {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return null;
  }
}

/** Dead already, and only waiting for its parent to hear of it. */
function isZombie(pid: string): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

function claim(lock: string): boolean {
  try {
    writeFileSync(lock, ownerIdentity(), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
