import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Mount } from '../../contract.ts';
import { runCommand } from '../../process/run-command.ts';
import type { ToolSandbox } from '../language.ts';

const HOME = '/opt/python';
const PROBE = [
  'import os, sys, json',
  'series = "python%d.%d" % sys.version_info[:2]',
  'library = os.path.realpath(os.path.dirname(os.__file__))',
  'program = os.path.realpath(sys.executable)',
  'print(json.dumps([series, program, sys.base_prefix, library, list(sys.version_info[:2])]))',
].join('\n');

/** The interpreter of this machine as it stands in a sandbox with this machine's system. */
export interface HostPython {
  sandbox: ToolSandbox;
  program: string;
}

let found: Promise<HostPython> | undefined;

/**
 * Finds the interpreter behind `python3` on the PATH, which may be the shim of a version manager. Program and standard
 * library are mounted, without the packages that were installed. Looks once per process. Throws `PROVIDER_UNAVAILABLE`.
 */
export function findHostPython(provider: string): Promise<HostPython> {
  found ??= probe(provider);
  found.catch(() => (found = undefined));
  return found;
}

async function probe(provider: string): Promise<HostPython> {
  for (const command of ['python3', '/usr/bin/python3', '/usr/local/bin/python3']) {
    const answer = await runCommand([command, '-I', '-S', '-c', PROBE], { cwd: '/', timeoutMs: 20_000 }).catch(
      () => null,
    );
    const python = answer?.exitCode === 0 ? read(answer.stdout.toString('utf8')) : null;
    if (python) return python;
  }
  throw new AssayError('PROVIDER_UNAVAILABLE', {
    name: provider,
    detail: 'there is no Python 3.8 or later on this machine',
    hint: 'Install python3.',
  });
}

function read(line: string): HostPython | null {
  const parsed: unknown = JSON.parse(line);
  if (!Array.isArray(parsed)) return null;
  const [series, executable, prefix, library, version]: unknown[] = parsed;
  if (
    typeof series !== 'string' ||
    typeof executable !== 'string' ||
    typeof prefix !== 'string' ||
    typeof library !== 'string'
  )
    return null;
  if (!Array.isArray(version) || version[0] !== 3 || Number(version[1]) < 8) return null;
  // The sandbox has it at the same path.
  if (prefix === '/usr' && executable.startsWith('/usr/bin/'))
    return { program: executable, sandbox: { mounts: [], env: {} } };
  const inside = join(HOME, 'lib', series);
  const mounts: Mount[] = [
    { kind: 'read-only', source: executable, target: join(HOME, 'bin/python3') },
    { kind: 'read-only', source: library, target: inside },
  ];
  for (const name of ['site-packages', 'dist-packages', 'ensurepip/_bundled', 'test']) {
    if (existsSync(join(library, name))) mounts.push({ kind: 'hidden', target: join(inside, name) });
  }
  const shared = `lib${series}.so.1.0`;
  if (existsSync(join(prefix, 'lib', shared)))
    mounts.push({ kind: 'read-only', source: join(prefix, 'lib', shared), target: join(HOME, 'lib', shared) });
  return { program: join(HOME, 'bin/python3'), sandbox: { mounts, env: { LD_LIBRARY_PATH: join(HOME, 'lib') } } };
}
