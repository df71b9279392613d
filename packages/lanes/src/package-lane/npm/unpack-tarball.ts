import { AssayError } from '@assay/protocol';
import { extract } from 'tar';

const MAX_ENTRIES = 200_000;
const MAX_BYTES = 4 * 1024 * 1024 * 1024;

/**
 * Unpacks an npm tarball into an existing directory, without its first path component. Regular files and directories
 * only: a link or device, a path that leads out, or more than 4 GiB is `LANE_FAILED`.
 */
export async function unpackTarball(file: string, directory: string): Promise<void> {
  let entries = 0;
  let bytes = 0;
  let offence: string | null = null;
  const check = (path: string, type: string, size: number): boolean => {
    entries += 1;
    bytes += size;
    if (!['File', 'OldFile', 'ContiguousFile', 'Directory'].includes(type)) offence ??= `${path} is a ${type}`;
    else if (entries > MAX_ENTRIES || bytes > MAX_BYTES) offence ??= 'it unpacks to too much';
    else if (path.startsWith('/') || path.split('/').includes('..')) offence ??= `${path} leads out`;
    return offence === null;
  };
  try {
    await extract({
      file,
      cwd: directory,
      strip: 1,
      strict: true,
      preserveOwner: false,
      filter: (path, entry) => check(path, 'type' in entry ? entry.type : 'File', entry.size),
    });
  } catch (error) {
    offence ??= error instanceof Error ? error.message : 'it cannot be read';
  }
  if (offence !== null)
    throw new AssayError('LANE_FAILED', { lane: 'npm', detail: `a tarball is refused: ${offence}` });
}
