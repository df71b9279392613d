import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EnvironmentSpec } from '@assay/protocol';
import type { Mount, SandboxProvider } from '@assay/sandbox';
import { sha256 } from '@assay/files/content-digest';
import { prepareLayer } from '@assay/files/store/prepare-layer';
import { withBuildBox } from '../build-box.ts';
import type { PreparedEnvironment } from '../ecosystem.ts';
import type { PythonInterpreter } from './find-interpreters.ts';
import { interpreterMounts, listWheels, PYTHON_ENVIRONMENT, pythonProgram, VENV } from './python-mounts.ts';

const WHEELHOUSE = '/opt/wheelhouse';
const SCRIPTS = '/opt/assay-build';

export interface OpenPythonOptions {
  /** Directory with `wheels/` and `requirements.lock`. */
  wheelhouse: string;
  interpreter: PythonInterpreter;
  provider: SandboxProvider;
  cacheDirectory: string;
  signal?: AbortSignal;
  log?: (line: string) => void;
}

/** Computes the sha256, in hex, of a virtual environment's parts: the interpreter and the bytes of every wheel. */
export async function pythonDigest(wheelhouse: string, interpreterVersion: string): Promise<string> {
  const hash = createHash('sha256')
    .update(`python ${interpreterVersion}\n`)
    .update(await readFile(join(wheelhouse, 'requirements.lock')));
  for (const wheel of listWheels(join(wheelhouse, 'wheels'))) {
    hash.update(`${wheel} ${sha256(await readFile(join(wheelhouse, 'wheels', wheel)))}\n`);
  }
  return hash.digest('hex');
}

/** Installs a wheelhouse into a virtual environment, once per digest, in a sandbox without any network. */
export async function openPythonEnvironment(
  spec: EnvironmentSpec,
  options: OpenPythonOptions,
): Promise<PreparedEnvironment> {
  const { wheelhouse, interpreter, cacheDirectory } = options;
  const digest = await pythonDigest(wheelhouse, interpreter.version);
  const interpreterAt = await interpreterMounts(interpreter, cacheDirectory);
  const layer = await prepareLayer(
    cacheDirectory,
    `python-env-${digest.slice(0, 32)}`,
    (draft) => install(draft, interpreterAt, options),
    { signal: options.signal },
  );
  const environment = join(layer, 'env');
  const bundleFiles = new Map([['requirements.lock', join(wheelhouse, 'requirements.lock')]]);
  for (const wheel of listWheels(join(wheelhouse, 'wheels')))
    bundleFiles.set(`wheels/${wheel}`, join(wheelhouse, 'wheels', wheel));
  return {
    // The digest of what was restored, whatever the bundle claims.
    spec: { ...spec, interpreter: interpreter.version, digest },
    mounts: ({ writable }) => [
      ...interpreterAt,
      writable
        ? { kind: 'layers', sources: [environment], target: VENV }
        : { kind: 'read-only', source: environment, target: VENV },
    ],
    env: { ...PYTHON_ENVIRONMENT },
    layerDirectories: [environment],
    bundleFiles,
  };
}

async function install(
  draft: string,
  interpreterAt: Mount[],
  { wheelhouse, interpreter, provider, signal, log }: OpenPythonOptions,
): Promise<void> {
  const options = {
    provider,
    mounts: [
      ...interpreterAt,
      { kind: 'layers' as const, sources: [], target: VENV },
      { kind: 'read-only' as const, source: wheelhouse, target: WHEELHOUSE },
      { kind: 'read-only' as const, source: fileURLToPath(new URL('build/', import.meta.url)), target: SCRIPTS },
    ],
    env: { PATH: `${VENV}/bin:/usr/bin:/bin`, PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0' },
    signal,
    log,
  };
  const python = `${VENV}/bin/python`;
  await withBuildBox(options, async (box) => {
    await box.run('making the virtual environment', [
      pythonProgram(interpreter),
      '-I',
      '-m',
      'venv',
      '--without-pip',
      VENV,
    ]);
    await box.run('installing', [
      python,
      '-I',
      `${SCRIPTS}/install_wheels.py`,
      `${WHEELHOUSE}/requirements.lock`,
      `${WHEELHOUSE}/wheels`,
    ]);
    // Checked against the source by hash, so that an edit of a dependency takes effect. Templates and test data may not
    // compile.
    await box.sandbox.exec('', {
      argv: [python, '-I', '-m', 'compileall', '-q', '--invalidation-mode', 'checked-hash', `${VENV}/lib`],
    });
    await box.exportTo(VENV, join(draft, 'env'));
  });
}
