import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import type { PythonInterpreter } from './find-interpreters.ts';
import { relocatableProgram } from './relocatable-program.ts';

export const PYTHON_HOME = '/opt/python';
export const VENV = '/opt/env';

/** Returns the path of the interpreter inside a sandbox. */
export function pythonProgram({ minor }: { minor: number }): string {
  return `${PYTHON_HOME}/bin/python3.${minor}`;
}

/**
 * Mounts an interpreter at `/opt/python` without the packages that the host installed into it, which may include the
 * very fix that a task asks for.
 */
export async function interpreterMounts(interpreter: PythonInterpreter, cacheDirectory: string): Promise<Mount[]> {
  const { prefix, stdlib, minor } = interpreter;
  const library = `${PYTHON_HOME}/lib/python3.${minor}`;
  // The system's own prefix holds everything else, too.
  const mounts: Mount[] =
    prefix === '/usr'
      ? [{ kind: 'read-only', source: stdlib, target: library }]
      : [{ kind: 'read-only', source: prefix, target: PYTHON_HOME }];
  mounts.push({
    kind: 'read-only',
    source: await relocatableProgram(interpreter, cacheDirectory),
    target: pythonProgram(interpreter),
  });
  for (const name of ['site-packages', 'dist-packages', 'ensurepip/_bundled']) {
    if (existsSync(join(stdlib, name))) mounts.push({ kind: 'hidden', target: `${library}/${name}` });
  }
  const headers = `/usr/include/python3.${minor}`;
  if (prefix === '/usr' && existsSync(headers))
    mounts.push({ kind: 'read-only', source: headers, target: `${PYTHON_HOME}/include/python3.${minor}` });
  if (prefix !== '/usr' && existsSync(join(prefix, 'share')))
    mounts.push({ kind: 'hidden', target: `${PYTHON_HOME}/share` });
  return mounts;
}

/** Variables of a process that uses the environment. */
export const PYTHON_ENVIRONMENT: Record<string, string> = {
  PATH: `${VENV}/bin:${PYTHON_HOME}/bin:/usr/bin:/bin`,
  VIRTUAL_ENV: VENV,
  ASSAY_PYTHON: `${VENV}/bin/python`,
};

export const isWheelName = (name: string): boolean => /^[\w.+!-]+\.whl$/.test(name);

/** Lists the names of the wheels in a directory, sorted. */
export function listWheels(directory: string): string[] {
  return readdirSync(directory).filter(isWheelName).sort();
}
