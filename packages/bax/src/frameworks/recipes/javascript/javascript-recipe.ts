import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NODE, nodeMounts } from '@assay/engine/ecosystems/node/node-mounts';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { BuildStep, FrameworkRecipe, PreparedFramework, PrepareOptions } from '../../../framework.ts';
import { APP_ENVIRONMENT } from '../app-environment.ts';
import { layerDigest } from '../layer-digest.ts';
import { missingPrograms } from '../missing-programs.ts';
import { nativeModules } from './native-modules.ts';
import { findNodeTools, MODULES, withNpm, type NodeTools } from './with-npm.ts';

/** Counts as part of a layer: another number, and all are made anew. */
const RECIPE = 1;
const NATIVE = '/opt/native';
/** Programs with which node-gyp compiles. */
const COMPILER = ['python3', 'make', 'g++'];

export interface JavascriptRecipeOptions {
  /** Files of the project that answers are written into, by path. */
  project?: Readonly<Record<string, string>>;
  build?: readonly BuildStep[];
  built?: readonly string[];
  place?: (path: string) => string | null;
}

/** `node_modules` from `lock/package-lock.json`, which lies beside the `package.json` of `manifest/`. */
export function javascriptRecipe(
  frameworkFolder: string,
  { place, ...options }: JavascriptRecipeOptions = {},
): FrameworkRecipe {
  return {
    unavailable: async () => {
      const missing = await missingPrograms(COMPILER);
      return missing.length === 0
        ? null
        : `bcrypt and sqlite3 are compiled from their sources, for which ${missing.join(' and ')} is missing. Install python3, make and g++.`;
    },
    prepare: (prepareOptions) => prepareJavascript(frameworkFolder, { ...options, ...prepareOptions }),
    place,
  };
}

/** Upstream copies what lies in the answer's top directory, and of directories what is in them. */
export function flattened(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

async function prepareJavascript(
  frameworkFolder: string,
  options: PrepareOptions & JavascriptRecipeOptions,
): Promise<PreparedFramework> {
  const { cacheDirectory, project = {}, build = [], built = [] } = options;
  const tools = await findNodeTools(options);
  const native = await nativeModules(tools, options);
  const files = Object.fromEntries(
    await Promise.all(
      ['manifest/package.json', 'lock/package-lock.json'].map(
        async (path) => [path, await readFile(join(frameworkFolder, path), 'utf8')] as const,
      ),
    ),
  );
  const digest = layerDigest({
    recipe: RECIPE,
    files,
    project,
    native: dirname(native),
    node: tools.interpreter.version,
  });
  const layer = await prepareLayer(cacheDirectory, `bax-node-${digest.slice(0, 32)}`, (draft) =>
    install(draft, { frameworkFolder, native, tools, project }, options),
  );
  return {
    variant: `Node ${tools.interpreter.version}`,
    digest,
    mounts: nodeMounts(tools.interpreter),
    appLayers: [join(layer, 'app')],
    env: { ...APP_ENVIRONMENT, PATH: `${dirname(NODE)}:/usr/bin:/bin` },
    build,
    built,
  };
}

interface Installation {
  frameworkFolder: string;
  native: string;
  tools: NodeTools;
  project: Readonly<Record<string, string>>;
}

async function install(
  draft: string,
  { frameworkFolder, native, tools, project }: Installation,
  options: PrepareOptions,
): Promise<void> {
  const mounts = [{ kind: 'read-only' as const, source: native, target: NATIVE }];
  await withNpm(tools, { ...options, folder: frameworkFolder, mounts }, async (box, npm) => {
    for (const [path, text] of Object.entries(project)) await box.sandbox.writeFile(`/app/${path}`, text);
    await npm('installing packages', ['ci', '--ignore-scripts']);
    await box.run('placing compiled modules', ['/bin/sh', '-c', `cp -R ${NATIVE}/. ${MODULES}/`]);
    await box.exportTo('/app', join(draft, 'app'));
  });
}
