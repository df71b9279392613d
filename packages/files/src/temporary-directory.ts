import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import { isOwnerAlive, ownerIdentity } from '@assay/sandbox';

/** All temporary directories of this user's assay processes, one directory for each process. */
const root = (): string => join(tmpdir(), `assay-tmp-${process.getuid?.() ?? 0}`);

let own: string | undefined;

/**
 * A new directory for short-lived files. Whoever asks for it removes it; what a killed process left is removed by the
 * next one that asks. The sandbox's user may pass through, so that layers may lie here.
 */
export async function makeTemporaryDirectory(name: string): Promise<string> {
  own ??= openOwn();
  await mkdir(own, { recursive: true });
  return mkdtemp(join(own, `${name}-`));
}

function openOwn(): string {
  mkdirSync(root(), { recursive: true, mode: 0o711 });
  const entry = lstatSync(root());
  // Anybody may make a directory of that name first; files must not go where its owner could swap them.
  if (!entry.isDirectory() || entry.uid !== process.getuid?.())
    throw new AssayError('UNSAFE_PATH', { path: root(), detail: 'it is not a directory of this user' });
  const directory = join(root(), ownerIdentity());
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  for (const identity of readdirSync(root())) {
    if (!isOwnerAlive(identity)) rmSync(join(root(), identity), { recursive: true, force: true });
  }
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
