import { AssayError } from '@assay/protocol/errors';
import type { SandboxProvider } from '../contract.ts';
import type { BuildPlan, Refusal } from '../languages/language.ts';
import { limitsFor } from './limits-for.ts';

const MIB = 1024 * 1024;
const BUILD_TIMEOUT_MS = 60_000;
/** The program comes out as text. */
const OUTPUT_BYTES = 48 * MIB;
const PIDS = 256;

/**
 * Compiles a submission. The compiler reads foreign text, so it runs in a sandbox of its own, of which nothing but the
 * program goes on. What goes wrong is the submission's fault, but for a compiler that cannot be started:
 * `PROVIDER_UNAVAILABLE`.
 */
export async function buildProgram(
  provider: SandboxProvider,
  plan: BuildPlan,
  signal?: AbortSignal,
): Promise<{ program: Uint8Array } | Refusal> {
  const sandbox = await provider.create({
    ...plan.sandbox,
    limits: limitsFor(provider, {
      memoryBytes: plan.memoryBytes,
      pids: PIDS,
      diskBytes: 1024 * MIB,
      outputBytes: OUTPUT_BYTES,
    }),
    signal,
  });
  try {
    for (const [path, content] of Object.entries(plan.files)) await sandbox.writeFile(path, content);
    const [command = ''] = plan.argv;
    // One exec, as the program is worth nothing without what the compiler says.
    const script = 'program=$1; shift; command -v "$1" >&2 || exit 127; "$@" >&2 || exit; exec base64 < "$program"';
    const result = await sandbox.exec('', {
      argv: ['/bin/sh', '-c', script, 'sh', plan.program, ...plan.argv],
      timeout: BUILD_TIMEOUT_MS,
      signal,
    });
    if (result.timedOut) return { refused: `it took more than ${BUILD_TIMEOUT_MS / 1000} s to compile` };
    if (result.outOfMemory) return { refused: 'the compiler ran out of memory' };
    if (result.exitCode === 127) {
      throw new AssayError('PROVIDER_UNAVAILABLE', {
        name: provider.name ?? '',
        detail: `there is no ${command} in its sandboxes`,
        hint: `Install it there.`,
      });
    }
    if (result.exitCode !== 0) return { refused: `it does not compile: ${plan.explain(result.stderr)}` };
    if (result.truncated) return { refused: 'the compiled program is too large' };
    return { program: Buffer.from(result.stdout, 'base64') };
  } finally {
    await sandbox.destroy();
  }
}
