import { mkdirSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AssayError } from '@assay/protocol';
import { runCommand } from '../process/run-command.ts';

/**
 * Copies a hostile directory, owners, modes, times and holes included, to `target`, which must not exist. Links are copied as links;
 * devices, sockets and named pipes are left out. Nothing may be running in the source.
 */
export async function exportTree(source: string, target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  mkdirSync(target);
  const copy = ['cp', '-dR', '--sparse=auto', '--preserve=mode,ownership,timestamps,links', '--no-target-directory', '--', source, target];
  const result = await runCommand(copy, { maxOutputBytes: 64 * 1024 });
  if (result.exitCode !== 0) {
    await rm(target, { recursive: true, force: true });
    throw new AssayError('SANDBOX_FILE_FAILED', { path: source, detail: result.stderr.toString('utf8').trim().split('\n')[0] ?? '' });
  }
  await removeSpecialFiles(Buffer.from(target));
}

/** Paths are bytes: a name need not be valid UTF-8. */
async function removeSpecialFiles(directory: Buffer): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([directory, Buffer.from('/'), entry.name]);
    if (entry.isDirectory()) await removeSpecialFiles(path);
    else if (!entry.isFile() && !entry.isSymbolicLink()) await rm(path);
  }
}
