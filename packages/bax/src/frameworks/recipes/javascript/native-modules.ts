import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { PrepareOptions } from '../../../framework.ts';
import { layerDigest } from '../layer-digest.ts';
import { MODULES, withNpm, type NodeTools } from './with-npm.ts';

const RECIPE = 2;
const FOLDER = fileURLToPath(new URL('native/', import.meta.url));
/**
 * A compiler that has the last word on optimisation: SQLite's one big file takes minutes with what node-gyp asks for.
 */
const COMPILERS = ['gcc', 'g++']
  .map((name) => `printf '#!/bin/sh\\nexec ${name} "$@" -O1\\n' > /tmp/${name} && chmod +x /tmp/${name}`)
  .join(' && ');
/** Where each package looks for what its sources compile to, below `node_modules`. */
const PROGRAMS = ['bcrypt/lib/binding/napi-v3/bcrypt_lib.node', 'sqlite3/build/Release/node_sqlite3.node'];

/**
 * A directory with what bcrypt and sqlite3 compile to, at their places below `node_modules`. Neither package holds a
 * binary; by Node-API one build serves every version of Node and every framework.
 */
export async function nativeModules(tools: NodeTools, options: PrepareOptions): Promise<string> {
  const lock = await readFile(join(FOLDER, 'package-lock.json'), 'utf8');
  const digest = layerDigest({ recipe: RECIPE, lock });
  const layer = await prepareLayer(options.cacheDirectory, `bax-node-native-${digest.slice(0, 32)}`, (draft) =>
    withNpm(tools, { ...options, folder: FOLDER }, async (box, npm) => {
      await npm('installing what is to be compiled', ['ci', '--ignore-scripts']);
      await box.run('preparing the compiler', ['/bin/sh', '-c', COMPILERS]);
      await Promise.all(
        ['bcrypt', 'sqlite3'].map((name) =>
          npm(`compiling ${name}`, ['rebuild', name, '--build-from-source'], { CC: '/tmp/gcc', CXX: '/tmp/g++' }),
        ),
      );
      await box.run('collecting', [
        '/bin/sh',
        '-c',
        `cd ${MODULES} && mkdir /tmp/out && cp --parents ${PROGRAMS.join(' ')} /tmp/out && strip -S $(find /tmp/out -name '*.node')`,
      ]);
      await box.exportTo('/tmp/out', join(draft, 'modules'));
    }),
  );
  return join(layer, 'modules');
}
