import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import { sandboxOwner, type Owner } from '../owner.ts';
import { hostEnvironment } from '../process/host-environment.ts';
import { runCommand } from '../process/run-command.ts';

/**
 * Copies a hostile directory, owners, modes, times and holes included, to `target`, which must not exist. Links are
 * copied as links; devices, sockets and named pipes are left out. Nothing may be running in the source. `enter`
 * precedes each command: it brings it to where `source` is a path. What belongs to `user`, whom nobody knows once the
 * sandbox is gone, is given to the common owner.
 */
export async function exportTree(enter: string[], source: string, target: string, user: Owner | null): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  mkdirSync(target);
  const copy = [
    'cp',
    '-dR',
    '--sparse=auto',
    '--preserve=mode,ownership,timestamps,links',
    '--no-target-directory',
    '--',
    source,
    target,
  ];
  const removeSpecial = ['find', target, '!', '-type', 'f', '!', '-type', 'd', '!', '-type', 'l', '-delete'];
  const own = sandboxOwner && `${sandboxOwner.uid}:${sandboxOwner.gid}`;
  const giveBack =
    user && own ? [['find', target, '-uid', String(user.uid), '-exec', 'chown', '-h', own, '{}', '+']] : [];
  for (const command of [copy, removeSpecial, ...giveBack]) {
    const result = await runCommand([...enter, ...command], { maxOutputBytes: 64 * 1024, env: hostEnvironment() });
    if (result.exitCode === 0) continue;
    await rm(target, { recursive: true, force: true });
    throw new AssayError('SANDBOX_FILE_FAILED', {
      path: source,
      detail: result.stderr.toString('utf8').trim().split('\n')[0] ?? '',
    });
  }
}
