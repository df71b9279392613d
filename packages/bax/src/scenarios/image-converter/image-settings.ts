import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import { layerDigest } from '../../frameworks/recipes/layer-digest.ts';
import type { ScenarioTools } from '../../scenario.ts';

const POLICY = join(import.meta.dirname, 'policy.xml');
/** Settings of versions 6 and 7. */
const DIRECTORIES = ['/etc/ImageMagick-6', '/etc/ImageMagick-7'];

/**
 * ImageMagick's settings of this machine, without which it knows no colours, with the bounds of `policy.xml` in place
 * of its own.
 */
export async function imageSettings(): Promise<ScenarioTools> {
  const mounts: Mount[] = [];
  for (const directory of DIRECTORIES) {
    const target = join(directory, 'policy.xml');
    if (
      await access(target).then(
        () => true,
        () => false,
      )
    )
      mounts.push({ kind: 'read-only', source: directory, target: directory });
    // Frameworks with a system of their own have a version that this machine need not have.
    mounts.push({ kind: 'read-only', source: POLICY, target });
  }
  return { mounts, digest: layerDigest({ policy: await readFile(POLICY, 'utf8') }) };
}
