import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NPM_VERSION } from '@assay/engine/ecosystems/node/node-lockfile';
import { NODE, nodeMounts } from '@assay/engine/ecosystems/node/node-mounts';
import { fetchNpmPackage } from '@assay/lanes/package-lane/tool-download';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { PrepareOptions } from '../../framework.ts';
import { findNodeTools, MODULES, withNpm } from '../../frameworks/recipes/javascript/with-npm.ts';
import { layerDigest } from '../../frameworks/recipes/layer-digest.ts';
import type { ScenarioTools } from '../../scenario.ts';

const RECIPE = 2;
const LOCK_FOLDER = join(import.meta.dirname, 'typescript');
const ROOT = '/opt/typescript';
const NPM = `${ROOT}-npm`;
/** Where the layer is put together. */
const DRAFT = '/tmp/tools';

/** Programs by name, each a line of shell. npx finds what is installed for all where npm's prefix is. */
const PROGRAMS = {
  tsc: `exec ${NODE} ${ROOT}/node_modules/typescript/bin/tsc "$@"`,
  npx: `npm_config_prefix=${ROOT} exec ${NODE} ${NPM}/bin/npx-cli.js "$@"`,
  node: `exec ${NODE} "$@"`,
};

/**
 * `tsc`, `npx tsc` and `node` for apps of every framework, in the versions that `typescript/package-lock.json` and the
 * frameworks of JavaScript name.
 */
export async function typescriptTools(options: PrepareOptions): Promise<ScenarioTools> {
  const { cacheDirectory, signal } = options;
  const tools = await findNodeTools(options);
  const lock = await readFile(join(LOCK_FOLDER, 'package-lock.json'), 'utf8');
  const digest = layerDigest({ recipe: RECIPE, lock, programs: PROGRAMS, node: tools.interpreter.version });
  const layer = await prepareLayer(cacheDirectory, `bax-typescript-${digest.slice(0, 32)}`, (draft) =>
    withNpm(tools, { ...options, folder: LOCK_FOLDER }, async (box, npm) => {
      await npm('installing TypeScript', ['ci', '--ignore-scripts']);
      const place = Object.entries(PROGRAMS).map(
        ([name, line]) =>
          `printf '#!/bin/sh\\n%s\\n' '${line}' > ${DRAFT}/bin/${name} && chmod 755 ${DRAFT}/bin/${name}`,
      );
      await box.run('placing TypeScript', [
        '/bin/sh',
        '-c',
        [`mkdir -p ${DRAFT}/bin`, `cp -R ${MODULES} ${DRAFT}/node_modules`, ...place].join(' && '),
      ]);
      await box.exportTo(DRAFT, join(draft, 'tools'));
    }),
  );
  const manager = await fetchNpmPackage('npm', NPM_VERSION, join(cacheDirectory, 'tools'), { cacheDirectory, signal });
  return {
    digest,
    mounts: [
      { kind: 'read-only', source: join(layer, 'tools'), target: ROOT },
      { kind: 'read-only', source: manager, target: NPM },
      ...nodeMounts(tools.interpreter),
    ],
    programs: `${ROOT}/bin`,
  };
}
