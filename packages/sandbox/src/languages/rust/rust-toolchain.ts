import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { Mount, SandboxProvider } from '../../contract.ts';
import { runCommand } from '../../process/run-command.ts';
import type { ToolSandbox } from '../language.ts';
import { toolchainLayer } from '../toolchain-cache.ts';

const RUST_ROOT = '/opt/rust';
const HARNESS_DIRECTORY = '/opt/assay-rust';
/** One crate; its parts stand in one namespace. */
const HARNESS_PARTS = ['1-run.rs', '2-json.rs', '3-decode.rs', '4-encode.rs'];
const LIBRARY = 'libassay.rlib';
const WARM_UP_TIMEOUT_MS = 120_000;
const MIB = 1024 * 1024;
export const RUST_BUILD_MEMORY_BYTES = 1536 * MIB;

export interface RustToolchain {
  sandbox: ToolSandbox;
  program: string;
  library: string;
}

interface HostRust {
  root: string;
  version: string;
}
let host: Promise<HostRust> | undefined;

/**
 * rustc as it stands in a sandbox with this machine's system, and our harness, which was compiled by a run without any
 * submission.
 */
export async function hostRust(provider: SandboxProvider): Promise<RustToolchain> {
  host ??= findRust(provider.name ?? '');
  host.catch(() => (host = undefined));
  const { root, version } = await host;
  const system = root === '/usr';
  // The system's own packages install Rust into a directory that sandboxes hide.
  const toolchain: Mount = system
    ? { kind: 'read-only', source: '/usr/lib/rustlib', target: '/usr/lib/rustlib' }
    : { kind: 'read-only', source: root, target: RUST_ROOT };
  const program = system ? '/usr/bin/rustc' : join(RUST_ROOT, 'bin/rustc');
  const layer = await toolchainLayer('rust', [version, root, harnessSource()], (draft) =>
    warmUp(provider, { program, toolchain, draft }),
  );
  return {
    program,
    library: `${HARNESS_DIRECTORY}/${LIBRARY}`,
    sandbox: { mounts: [toolchain, { kind: 'read-only', source: layer, target: HARNESS_DIRECTORY }], env: {} },
  };
}

export function harnessSource(): string {
  return HARNESS_PARTS.map((name) => readFileSync(new URL(`harness/${name}`, import.meta.url), 'utf8')).join('\n');
}

export function harnessArguments(program: string, source: string, library: string): string[] {
  return [
    program,
    '--edition=2021',
    '--crate-type=rlib',
    '--crate-name=assay',
    '-Copt-level=1',
    '-Cdebuginfo=0',
    '--cap-lints=allow',
    '-o',
    library,
    source,
  ];
}

export function programArguments(program: string, source: string, library: string, output: string): string[] {
  const options = [
    '--edition=2021',
    '--crate-type=bin',
    '--crate-name=program',
    '-Copt-level=1',
    '-Cdebuginfo=0',
    '-Cstrip=symbols',
    '--cap-lints=allow',
    '--color=never',
  ];
  return [program, ...options, '--extern', `assay=${library}`, '-o', output, source];
}

/** Behind rustup's shim: a toolchain's own rustc needs no home directory. */
async function findRust(provider: string): Promise<HostRust> {
  const ask = (...given: string[]): Promise<string> =>
    runCommand(['rustc', ...given], { cwd: '/', timeoutMs: 20_000 }).then(
      (answer) => (answer.exitCode === 0 ? answer.stdout.toString('utf8').trim() : ''),
      () => '',
    );
  const [root, version] = await Promise.all([ask('--print', 'sysroot'), ask('--version')]);
  if (root === '' || version === '')
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: provider,
      detail: 'there is no Rust on this machine',
      hint: 'Install rustc and a C linker (gcc).',
    });
  return { root, version };
}

async function warmUp(
  provider: SandboxProvider,
  { program, toolchain, draft }: { program: string; toolchain: Mount; draft: string },
): Promise<void> {
  const sandbox = await provider.create({
    mounts: [toolchain],
    timeout: WARM_UP_TIMEOUT_MS,
    limits: { memoryBytes: RUST_BUILD_MEMORY_BYTES },
  });
  try {
    await sandbox.writeFile('harness.rs', harnessSource());
    const { exitCode, stderr } = await sandbox.exec('', {
      argv: [
        '/bin/sh',
        '-c',
        'mkdir out && exec "$@"',
        'sh',
        ...harnessArguments(program, 'harness.rs', `out/${LIBRARY}`),
      ],
    });
    if (exitCode !== 0 || !sandbox.exportDirectory)
      throw new AssayError('PROVIDER_UNAVAILABLE', {
        name: provider.name ?? '',
        detail: `Rust cannot build here: ${stderr.slice(0, 500)}`,
        hint: '',
      });
    await sandbox.exportDirectory('/workspace/out', draft);
  } finally {
    await sandbox.destroy();
  }
}
