import { AssayError } from '@assay/protocol';
import type { ExecResult, Mount, Sandbox } from '@assay/sandbox';
import type { PrepareOptions } from '../../framework.ts';

const GIB = 1024 ** 3;
const STEP_MS = 15 * 60_000;
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

export interface HostNetworkBox {
  sandbox: Sandbox;
  /** A shell line. Throws `LANE_FAILED` when it fails. */
  run(step: string, command: string): Promise<ExecResult>;
  exportTo(path: string, hostDirectory: string): Promise<void>;
}

/**
 * A sandbox with the network of the host, for package managers to which there is no lane: they fetch what a recipe of
 * ours names and its lock pins, and nothing else runs in it. It leaves nothing behind.
 */
export async function withHostNetwork<T>(
  { provider, signal, progress, mounts, env }: PrepareOptions & { mounts: Mount[]; env: Record<string, string> },
  use: (box: HostNetworkBox) => Promise<T>,
): Promise<T> {
  const proxies = Object.fromEntries(
    PROXY_VARIABLES.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  const sandbox = await provider.create({
    mounts,
    env: { ...proxies, ...env },
    timeout: STEP_MS,
    network: { kind: 'host' },
    unsealed: ['network'],
    limits: { memoryBytes: 4 * GIB, diskBytes: 6 * GIB, pids: 2048 },
    signal,
  });
  try {
    return await use({
      sandbox,
      run: async (step, command) => {
        const result = await sandbox.exec(command, { signal });
        progress?.(`${step}: exit ${result.exitCode} after ${Math.round(result.durationMs ?? 0)} ms`);
        if (result.exitCode === 0) return result;
        signal?.throwIfAborted();
        throw new AssayError('LANE_FAILED', {
          lane: 'package',
          detail: `${step}: ${`${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-8).join(' | ').slice(-600)}`,
        });
      },
      exportTo: async (path, hostDirectory) => {
        if (!sandbox.exportDirectory)
          throw new AssayError('PROVIDER_UNAVAILABLE', {
            name: provider.name ?? 'this provider',
            detail: 'it cannot hand out directories',
            hint: 'Use bubblewrap, runc or runsc.',
          });
        await sandbox.exportDirectory(path, hostDirectory);
      },
    });
  } finally {
    await sandbox.destroy();
  }
}
