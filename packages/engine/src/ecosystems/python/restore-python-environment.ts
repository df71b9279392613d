import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol';
import type { PreparedEnvironment, RestoreRequest } from '../ecosystem.ts';
import { findInterpreters } from './find-interpreters.ts';
import { openPythonEnvironment } from './open-python-environment.ts';

/**
 * Installs the wheels of a bundle with the interpreter of the proof or another of its series. Throws
 * `INTERPRETER_MISSING`, and `ENVIRONMENT_FAILED` when the bundle's lock contradicts its task.
 */
export async function restorePythonEnvironment({
  spec,
  bundleDirectory,
  provider,
  cacheDirectory,
  signal,
}: RestoreRequest): Promise<PreparedEnvironment> {
  const series = spec.interpreter.split('.').slice(0, 2).join('.');
  const fitting = (await findInterpreters()).filter(({ version }) => version.startsWith(`${series}.`));
  const interpreter =
    fitting.find(({ version }) => version === spec.interpreter) ?? fitting.toSorted((a, b) => b.patch - a.patch)[0];
  if (!interpreter) throw new AssayError('INTERPRETER_MISSING', { language: 'Python', wanted: series });
  const locked = new Set(
    (await readFile(join(bundleDirectory, 'requirements.lock'), 'utf8')).split('\n').map((line) => line.split(' ')[0]),
  );
  const missing = spec.pins.find((pin) => !locked.has(pin));
  if (missing !== undefined)
    throw new AssayError('ENVIRONMENT_FAILED', { detail: `requirements.lock of the bundle lacks ${missing}` });
  return openPythonEnvironment(spec, { wheelhouse: bundleDirectory, interpreter, provider, cacheDirectory, signal });
}
