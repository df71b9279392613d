import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol';
import { LANE_ORIGIN, withBuildBox } from '@assay/engine/ecosystems/build-box';
import { findInterpreters, type PythonInterpreter } from '@assay/engine/ecosystems/python/find-interpreters';
import { interpreterMounts, PYTHON_HOME, pythonProgram, VENV } from '@assay/engine/ecosystems/python/python-mounts';
import { fetchPythonTool } from '@assay/lanes/package-lane/tool-download';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import type { Mount } from '@assay/sandbox';
import type { BuildStep, FrameworkRecipe, PreparedFramework, PrepareOptions } from '../../../framework.ts';
import { APP_ENVIRONMENT } from '../app-environment.ts';
import { layerDigest } from '../layer-digest.ts';

/** Counts as part of a layer: another number, and all are made anew. */
const RECIPE = 1;
/** Upstream's series first; the locks hold what these need. */
const SERIES = [12, 13, 11];
const UV = '/opt/uv/uv';
const LOCKS = '/opt/locks';
/** Packages that build those which come only as sources. */
const BUILD_TOOLS = fileURLToPath(new URL('build-tools.txt', import.meta.url));

interface PythonFramework {
  /** Modules that its answers import in any case, or most do. */
  preload: readonly string[];
  build?: readonly BuildStep[];
  built?: readonly string[];
}

/** Packages from `lock/requirements.lock` in a virtual environment, for the best Python of this machine. */
export function pythonRecipe(
  frameworkFolder: string,
  { preload, build = [], built = [] }: PythonFramework,
): FrameworkRecipe {
  return {
    unavailable: async () =>
      (await chooseInterpreter())
        ? null
        : `Python 3.${SERIES.toSorted((a, b) => a - b).join(', 3.')} is missing. Install one of them.`,
    prepare: async (options) => {
      const interpreter = await chooseInterpreter();
      if (!interpreter) throw new AssayError('INTERPRETER_MISSING', { language: 'Python', wanted: '3.12' });
      return preparePython(join(frameworkFolder, 'lock', 'requirements.lock'), interpreter, {
        ...options,
        build,
        built,
        preload,
      });
    },
  };
}

async function chooseInterpreter(): Promise<PythonInterpreter | null> {
  const found = await findInterpreters();
  const best = (minor: number): PythonInterpreter | undefined =>
    found.filter((each) => each.minor === minor).toSorted((a, b) => b.patch - a.patch)[0];
  return SERIES.map(best).find((each) => each !== undefined) ?? null;
}

async function preparePython(
  lock: string,
  interpreter: PythonInterpreter,
  options: PrepareOptions & Required<PythonFramework>,
): Promise<PreparedFramework> {
  const { cacheDirectory, build, built, preload } = options;
  const locks = await Promise.all([lock, BUILD_TOOLS].map((path) => readFile(path, 'utf8')));
  const digest = layerDigest({ recipe: RECIPE, locks, python: interpreter.version });
  const python = await interpreterMounts(interpreter, cacheDirectory);
  const layer = await prepareLayer(cacheDirectory, `bax-python-${digest.slice(0, 32)}`, (draft) =>
    install({ draft, lock, interpreter, python }, options),
  );
  return {
    variant: `Python ${interpreter.version}`,
    digest,
    mounts: [...python, { kind: 'read-only', source: join(layer, 'env'), target: VENV }],
    appLayers: [],
    env: { ...APP_ENVIRONMENT, PATH: `${VENV}/bin:${PYTHON_HOME}/bin:/usr/bin:/bin` },
    build,
    built,
    preload: { python: `${VENV}/bin/python3`, modules: preload },
  };
}

interface Installation {
  draft: string;
  lock: string;
  interpreter: PythonInterpreter;
  python: Mount[];
}

async function install(
  { draft, lock, interpreter, python }: Installation,
  { provider, cacheDirectory, signal, progress }: PrepareOptions,
): Promise<void> {
  const common = signal ? { signal } : {};
  const uv = await fetchPythonTool('uv', join(cacheDirectory, 'tools'), { cacheDirectory, ...common });
  const options = {
    provider,
    mounts: [
      ...python,
      { kind: 'layers' as const, sources: [], target: VENV },
      { kind: 'read-only' as const, source: uv, target: UV },
      { kind: 'read-only' as const, source: lock, target: `${LOCKS}/requirements.txt` },
      { kind: 'read-only' as const, source: BUILD_TOOLS, target: `${LOCKS}/build-tools.txt` },
    ],
    env: {
      PATH: `${dirname(pythonProgram(interpreter))}:/usr/bin:/bin`,
      UV_DEFAULT_INDEX: `${LANE_ORIGIN}/simple/`,
      UV_NO_CONFIG: '1',
      UV_PYTHON_DOWNLOADS: 'never',
      UV_CACHE_DIR: '/tmp/uv-cache',
      UV_LINK_MODE: 'copy',
      UV_NO_PROGRESS: '1',
    },
    lane: { kind: 'pypi' as const, cutoff: new Date(), exclude: [], mode: 'lockfile' as const, cacheDirectory },
    ...common,
    log: progress,
  };
  await withBuildBox(options, async (box) => {
    await box.run('making the virtual environment', [
      pythonProgram(interpreter),
      '-I',
      '-m',
      'venv',
      '--without-pip',
      VENV,
    ]);
    await box.run('installing packages', [
      UV,
      'pip',
      'install',
      '-q',
      '--python',
      `${VENV}/bin/python`,
      '--require-hashes',
      '--no-deps',
      '--compile-bytecode',
      '--build-constraints',
      `${LOCKS}/build-tools.txt`,
      '-r',
      `${LOCKS}/requirements.txt`,
    ]);
    await box.exportTo(VENV, join(draft, 'env'));
  });
}
