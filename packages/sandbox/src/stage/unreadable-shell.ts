import { chmodSync, copyFileSync, lstatSync, mkdirSync, readlinkSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { Mount } from '../contract.ts';

/** Below /etc, which nobody inside may change. */
const UNREADABLE_SHELL = '/etc/assay/sh';

const LONGEST_CHAIN = 40;

/** Returns the shell of process 1: the one that nobody can read, unless a requested mount covers it. */
export function shellOfProcess1(mounts: readonly Pick<Mount, 'target'>[]): string {
  const isCovered = mounts.some(({ target }) => `${UNREADABLE_SHELL}/`.startsWith(`${posix.resolve(target)}/`));
  return isCovered ? '/bin/sh' : UNREADABLE_SHELL;
}

/**
 * Puts a copy of the shell of `system` (a tree, or `/` for this machine) into a tree. It can be run and not read: what
 * runs such a program cannot be traced, nor its descriptors be taken, by others of the same user. So the exit code that
 * process 1 tells is the one that it saw.
 */
export function addUnreadableShell(system: string, root: string): void {
  const target = join(root, UNREADABLE_SHELL);
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  const own = findInTree(system, '/bin/sh');
  // A tree without one gets the toolchain of this machine as a mount.
  copyFileSync(own === null ? '/bin/sh' : join(system, own), target);
  chmodSync(target, 0o111);
}

/** The path in a tree of what a path leads to, every link followed as it would be with the tree as `/`. */
function findInTree(tree: string, path: string): string | null {
  let [done, ...rest] = ['/', ...path.split('/').filter((name) => name !== '')];
  for (let links = 0; rest.length > 0;) {
    const next = posix.join(done ?? '/', rest.shift() ?? '');
    const entry = lstatSync(join(tree, next), { throwIfNoEntry: false });
    if (!entry) break;
    if (!entry.isSymbolicLink()) {
      done = next;
      if (rest.length === 0 && entry.isFile()) return next;
      continue;
    }
    links += 1;
    if (links > LONGEST_CHAIN) break;
    const resolved = posix.resolve(posix.dirname(next), readlinkSync(join(tree, next)));
    rest = [...resolved.split('/').filter((name) => name !== ''), ...rest];
    done = '/';
  }
  return null;
}
