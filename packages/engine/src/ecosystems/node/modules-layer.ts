import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sandboxOwner } from '@assay/sandbox';
import { unpackTar } from '../../files/tar.ts';
import { prepareLayer } from '../../store/prepare-layer.ts';

/** The tree that an archive of modules unpacks to, once for its content. */
export async function unpackModules(archive: string, cacheDirectory: string): Promise<string> {
  return makeLayer(archive, cacheDirectory, (tree) => unpackTar(archive, tree, { owner: sandboxOwner }));
}

/** Keeps a tree that was just packed as what its archive unpacks to. The tree is moved away. */
export async function keepModules(tree: string, archive: string, cacheDirectory: string): Promise<void> {
  await makeLayer(archive, cacheDirectory, (target) => rename(tree, target));
}

async function makeLayer(archive: string, cacheDirectory: string, make: (tree: string) => Promise<void>): Promise<string> {
  const digest = await sha256OfFile(archive);
  const layer = await prepareLayer(cacheDirectory, `node-modules-${digest.slice(0, 32)}`, (draft) => make(join(draft, 'tree')));
  return join(layer, 'tree');
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
