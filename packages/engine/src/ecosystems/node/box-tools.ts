import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';

const PROGRAM = new URL('box/npm.cjs', import.meta.url);
const NAMES = ['npm', 'npx', 'pnpm', 'yarn'];

/**
 * Mounts programs that stand for the package managers beside node. The real ones want a network, and what the host has
 * of them is hidden.
 */
export async function boxTools(cacheDirectory: string): Promise<Mount[]> {
  const text = await readFile(PROGRAM, 'utf8');
  const layer = await prepareLayer(cacheDirectory, `node-box-${sha256(text).slice(0, 32)}`, async (draft) => {
    await mkdir(join(draft, 'bin'));
    await writeFile(join(draft, 'bin', 'npm'), text, { mode: 0o755 });
  });
  return NAMES.map((name) => ({
    kind: 'read-only',
    source: join(layer, 'bin', 'npm'),
    target: `/opt/node/bin/${name}`,
  }));
}
