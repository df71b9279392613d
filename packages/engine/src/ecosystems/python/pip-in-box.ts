import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';

const PROGRAM = new URL('box/pip.py', import.meta.url);
const BIN = '/opt/packages/bin';

/** What stands for pip in a box: environments have none, and what the host has may be younger than T0. */
export async function pipInBox(cacheDirectory: string): Promise<{ mounts: Mount[]; bin: string }> {
  const text = await readFile(PROGRAM, 'utf8');
  const layer = await prepareLayer(cacheDirectory, `python-box-${sha256(text).slice(0, 32)}`, async (draft) => {
    await mkdir(join(draft, 'bin'));
    for (const name of ['pip', 'pip3']) await writeFile(join(draft, 'bin', name), text, { mode: 0o755 });
  });
  return { mounts: [{ kind: 'read-only', source: join(layer, 'bin'), target: BIN }], bin: BIN };
}
