import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';

/** The seal `clean-env` off: what another trial left in a shared directory, in HOME and in the tree. */
export async function plantLeftovers(directory: string, marker: string): Promise<{ layer: string; mounts: Mount[] }> {
  const leave = async (place: string, name: string): Promise<string> => {
    const path = join(directory, place);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, name), `${marker}\n`);
    return path;
  };
  return {
    layer: await leave('tree', '.answer-of-trial-1'),
    mounts: [
      { kind: 'read-only', source: await leave('shared', 'answer-1'), target: '/var/tmp/shared' },
      { kind: 'read-only', source: await leave('agent', 'memory.md'), target: '/home/user/.agent' },
    ],
  };
}
