import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mount } from '@assay/sandbox';
import type { PythonInterpreter } from './find-interpreters.ts';

export const PYTHON_HOME = '/opt/python';
export const VENV = '/opt/env';

/** The interpreter's program inside a sandbox. */
export function pythonProgram({ minor }: { minor: number }): string {
  return `${PYTHON_HOME}/bin/python3.${minor}`;
}

/** An interpreter at `/opt/python`, without what the host installed into it: that may be the very fix that a task asks for. */
export function interpreterMounts(interpreter: PythonInterpreter): Mount[] {
  const library = `${PYTHON_HOME}/lib/python3.${interpreter.minor}`;
  const mounts: Mount[] = interpreter.prefix === '/usr' ? [
    // The system's own prefix holds everything else too.
    { kind: 'read-only', source: interpreter.executable, target: pythonProgram(interpreter) },
    { kind: 'read-only', source: interpreter.stdlib, target: library },
  ] : [{ kind: 'read-only', source: interpreter.prefix, target: PYTHON_HOME }];
  for (const name of ['site-packages', 'dist-packages', 'ensurepip/_bundled']) {
    if (existsSync(join(interpreter.stdlib, name))) mounts.push({ kind: 'hidden', target: `${library}/${name}` });
  }
  if (interpreter.prefix !== '/usr' && existsSync(join(interpreter.prefix, 'share'))) mounts.push({ kind: 'hidden', target: `${PYTHON_HOME}/share` });
  return mounts;
}

/** Variables of a process that uses the environment. */
export const PYTHON_ENVIRONMENT: Record<string, string> = {
  PATH: `${VENV}/bin:${PYTHON_HOME}/bin:/usr/bin:/bin`,
  VIRTUAL_ENV: VENV,
  ASSAY_PYTHON: `${VENV}/bin/python`,
};

/** The host's file lists of a wheel directory. */
export function listWheels(directory: string): string[] {
  return readdirSync(directory).filter((name) => /^[\w.+!-]+\.whl$/.test(name)).sort();
}
