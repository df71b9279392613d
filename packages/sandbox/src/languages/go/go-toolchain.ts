import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol/errors';
import type { Mount, SandboxProvider } from '../../contract.ts';
import { runCommand } from '../../process/run-command.ts';
import type { ToolSandbox } from '../language.ts';
import { toolchainLayer } from '../toolchain-cache.ts';

const GO_ROOT = '/opt/go';
const MODULE = fileURLToPath(new URL('module', import.meta.url));
const WARM_UP_TIMEOUT_MS = 600_000;
const MIB = 1024 * 1024;
export const GO_BUILD_MEMORY_BYTES = 1536 * MIB;
/** Younger than any build, so that no build thinks of noting that it has used them. */
const NEVER_STALE = new Date('2100-01-01');

export interface GoToolchain {
  sandbox: ToolSandbox;
  program: string;
  directory: string;
}

interface HostGo {
  root: string;
  version: string;
}
let host: Promise<HostGo> | undefined;

/**
 * Go as it stands in a sandbox with this machine's system: its root read-only, and at `directory` our own module with a
 * cache in which the standard library is compiled. Both were made by a run without any submission; each sandbox writes
 * to a layer of its own above them.
 */
export async function hostGo(provider: SandboxProvider): Promise<GoToolchain> {
  host ??= findGo(provider.name ?? '');
  host.catch(() => (host = undefined));
  const { root, version } = await host;
  const directory = '/opt/assay-go';
  const toolchain: Mount = { kind: 'read-only', source: root, target: GO_ROOT };
  const files = goModuleFiles();
  const layer = await toolchainLayer('go', [version, root, JSON.stringify(files)], async (draft) => {
    await warmUp(provider, [toolchain, { kind: 'layers', sources: [], target: directory }], {
      directory,
      files,
      draft,
    });
  });
  const env = { ...goEnvironment(directory), GOROOT: GO_ROOT };
  return {
    program: `${GO_ROOT}/bin/go`,
    directory,
    sandbox: { mounts: [toolchain, { kind: 'layers', sources: [layer], target: directory }], env },
  };
}

export function goEnvironment(directory: string): Record<string, string> {
  return {
    GOCACHE: `${directory}/cache`,
    GOPATH: '/tmp/go',
    GOTOOLCHAIN: 'local',
    GOPROXY: 'off',
    GOENV: 'off',
    GOTELEMETRY: 'off',
    GOFLAGS: '-trimpath -buildvcs=false',
    CGO_ENABLED: '0',
  };
}

export function goBuildArguments(program: string, directory: string, output: string): string[] {
  return [program, 'build', '-C', `${directory}/module`, '-ldflags=-s -w', '-o', output, '.'];
}

/** By path in the module. */
export function goModuleFiles(): Record<string, string> {
  const names = readdirSync(MODULE, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(go|mod)$/.test(name))
    .toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(MODULE, name), 'utf8')]));
}

async function findGo(provider: string): Promise<HostGo> {
  const answer = await runCommand(['go', 'env', 'GOROOT', 'GOVERSION'], { cwd: '/', timeoutMs: 20_000 }).catch(
    () => null,
  );
  const [root = '', version = ''] = answer?.exitCode === 0 ? answer.stdout.toString('utf8').split('\n') : [];
  if (root === '')
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: provider,
      detail: 'there is no Go on this machine',
      hint: 'Install Go 1.21 or later.',
    });
  return { root, version };
}

async function warmUp(
  provider: SandboxProvider,
  mounts: Mount[],
  { directory, files, draft }: { directory: string; files: Record<string, string>; draft: string },
): Promise<void> {
  const sandbox = await provider.create({
    mounts,
    env: { ...goEnvironment(directory), GOROOT: GO_ROOT },
    timeout: WARM_UP_TIMEOUT_MS,
    limits: { memoryBytes: GO_BUILD_MEMORY_BYTES },
  });
  try {
    for (const [name, text] of Object.entries(files)) await sandbox.writeFile(`${directory}/module/${name}`, text);
    const { exitCode, stderr } = await sandbox.exec('', {
      argv: goBuildArguments(`${GO_ROOT}/bin/go`, directory, '/tmp/program'),
    });
    if (exitCode !== 0 || !sandbox.exportDirectory)
      throw new AssayError('PROVIDER_UNAVAILABLE', {
        name: provider.name ?? '',
        detail: `Go cannot build here: ${stderr.slice(0, 500)}`,
        hint: '',
      });
    await sandbox.exportDirectory(directory, draft);
  } finally {
    await sandbox.destroy();
  }
  for (const name of readdirSync(join(draft, 'cache'), { recursive: true, encoding: 'utf8' }))
    utimesSync(join(draft, 'cache', name), NEVER_STALE, NEVER_STALE);
}
