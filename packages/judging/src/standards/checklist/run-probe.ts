import { AssayError, type ChecklistProbe, harmlessText } from '@assay/protocol';
import type { ExecResult, Sandbox, SandboxProvider } from '@assay/sandbox';

/** `passed` is null when no sandbox could run the probe: unknown, not failed. */
export interface ProbeAnswer {
  passed: boolean | null;
  evidence: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const ATTEMPTS = 2;
const MAX_OUTPUT = 500;

/**
 * Runs the probe of one item in a sandbox of its own, without a network, that holds the submission at
 * `/workspace/NAME`; the probe finds the path in `$ASSAY_SUBMISSION`. It passes when it exits 0. Throws `INTERRUPTED`,
 * and what says that this machine offers no such sandbox.
 */
export async function runProbe(
  provider: SandboxProvider,
  probe: ChecklistProbe,
  submission: Uint8Array,
  options: { name: string; signal?: AbortSignal | undefined },
): Promise<ProbeAnswer> {
  let problem = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await runOnce(provider, probe, submission, options);
    } catch (error) {
      if (options.signal?.aborted) throw new AssayError('INTERRUPTED', {}, { cause: error });
      if (AssayError.is(error) && error.kind !== 'infrastructure' && error.kind !== 'task') throw error;
      problem = error instanceof Error ? error.message : String(error);
    }
  }
  return {
    passed: null,
    evidence: `the sandbox could not run the probe: ${harmlessText(problem).slice(0, MAX_OUTPUT)}`,
  };
}

async function runOnce(
  provider: SandboxProvider,
  probe: ChecklistProbe,
  submission: Uint8Array,
  { name, signal }: { name: string; signal?: AbortSignal | undefined },
): Promise<ProbeAnswer> {
  const path = `/workspace/${name}`;
  const timeout = probe.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const stop = signal === undefined ? {} : { signal };
  const sandbox: Sandbox = await provider.create({
    network: { kind: 'none' },
    env: { ASSAY_SUBMISSION: path },
    limits: { outputBytes: 1024 * 1024 },
    ...stop,
  });
  try {
    await sandbox.writeFile(path, submission);
    const result = await sandbox.exec(probe.command, { timeout, ...stop });
    signal?.throwIfAborted();
    return { passed: result.exitCode === 0 && result.timedOut !== true, evidence: describe(result, timeout) };
  } finally {
    await sandbox.destroy();
  }
}

function describe({ exitCode, stdout, stderr, timedOut, outOfMemory }: ExecResult, timeout: number): string {
  const end = timedOut
    ? `no end within ${timeout} ms`
    : outOfMemory
      ? `exit code ${exitCode}, out of memory`
      : `exit code ${exitCode}`;
  return [
    end,
    ...[['stdout', stdout] as const, ['stderr', stderr] as const].flatMap(([name, text]) =>
      text.trim() === '' ? [] : [`${name}: ${lastPart(text)}`],
    ),
  ].join('; ');
}

function lastPart(text: string): string {
  const shown = harmlessText(text.slice(-4 * MAX_OUTPUT)).trim();
  return shown.length <= MAX_OUTPUT ? shown : `…${shown.slice(-MAX_OUTPUT).toWellFormed()}`;
}
