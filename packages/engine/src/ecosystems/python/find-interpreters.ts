import { readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { runCommand } from '@assay/sandbox';

/** A CPython on this machine. */
export interface PythonInterpreter {
  /** Such as `3.11.7`. */
  version: string;
  minor: number;
  patch: number;
  /** `sys.base_prefix`. */
  prefix: string;
  /** The real path of the program. */
  executable: string;
  /** Directory of its standard library. */
  stdlib: string;
}

/** The oldest series that the build tools still support. */
const OLDEST_MINOR = 7;
const PROBE = [
  'import os, platform, sys',
  'print(platform.python_implementation(), platform.python_version(), sep="\\n")',
  'print(sys.base_prefix, os.path.dirname(os.__file__), sep="\\n")',
].join('\n');

let found: Promise<PythonInterpreter[]> | undefined;

/**
 * Finds every CPython 3 on this machine, one per release: those of pyenv, then those on PATH. Looks once per process.
 */
export function findInterpreters(): Promise<PythonInterpreter[]> {
  found ??= probeAll();
  return found;
}

/** See `Ecosystem.interpreters`. */
export const pythonVersions = async (): Promise<string[]> => (await findInterpreters()).map(({ version }) => version);

async function probeAll(): Promise<PythonInterpreter[]> {
  const programs = new Set<string>();
  for (const candidate of await candidates()) {
    const real = await realpath(candidate).catch(() => null);
    if (real !== null) programs.add(real);
  }
  const probed = await Promise.all([...programs].map(probe));
  const byVersion = new Map<string, PythonInterpreter>();
  for (const interpreter of probed) {
    if (interpreter && interpreter.minor >= OLDEST_MINOR && !byVersion.has(interpreter.version))
      byVersion.set(interpreter.version, interpreter);
  }
  return [...byVersion.values()];
}

async function candidates(): Promise<string[]> {
  const pyenv = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const versions = await readdir(pyenv).catch(() => []);
  const paths = versions
    .filter((name) => /^3\.\d+\.\d+$/.test(name))
    .map((name) => join(pyenv, name, 'bin', 'python3'));
  // Shims are scripts whose answer depends on the directory, never interpreters.
  const directories = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '' && !directory.endsWith('/shims'));
  for (const directory of new Set([...directories, '/usr/bin', '/usr/local/bin'])) {
    const names = await readdir(directory).catch(() => []);
    paths.push(...names.filter((name) => /^python3(\.\d+)?$/.test(name)).map((name) => join(directory, name)));
  }
  return paths;
}

async function probe(executable: string): Promise<PythonInterpreter | null> {
  const answer = await runCommand([executable, '-I', '-S', '-c', PROBE], { timeoutMs: 20_000 }).catch(() => null);
  if (!answer || answer.exitCode !== 0) return null;
  const [implementation, version, prefix, stdlib] = answer.stdout.toString().trim().split('\n');
  const match = /^3\.(\d+)\.(\d+)$/.exec(version ?? '');
  if (implementation !== 'CPython' || !version || !match || !prefix || !stdlib) return null;
  return {
    version,
    minor: Number(match[1]),
    patch: Number(match[2]),
    prefix,
    executable,
    stdlib: await realpath(stdlib).catch(() => dirname(stdlib)),
  };
}
