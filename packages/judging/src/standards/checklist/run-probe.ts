import { randomBytes } from 'node:crypto';
import { AssayError, type ChecklistProbe, harmlessText } from '@assay/protocol';
import type { ExecResult, Sandbox, SandboxProvider } from '@assay/sandbox';

/** `passed` is null when no sandbox could run anything: unknown, not failed. */
export interface ProbeAnswer {
  passed: boolean | null;
  evidence: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const ATTEMPTS = 2;
const MAX_OUTPUT = 500;
/** Limit on the output that is read. The confirmation comes after it. */
const MAX_READ = 16 * 1024 * 1024;
/** Shows whether sandboxes work at all. */
const NO_PROBE: ChecklistProbe = { command: ':' };
/**
 * Runs the command ($1) and says on standard output how it ended, after a word that came on standard input and that the
 * command never holds: an exit code alone can be set by foreign code that the command runs.
 */
const TELL = [
  'IFS= read -r word',
  '/bin/sh -c "$1" </dev/null',
  'code=$?',
  String.raw`printf '\n%s %s\n' "$word" "$code"`,
  'exit "$code"',
].join('; ');

/**
 * Runs the probe of one item in a sandbox of its own, without a network, that holds the submission at
 * `/workspace/NAME`; the probe finds the path in `$ASSAY_SUBMISSION`. It passes when it exits 0 and the shell around it
 * reports that. A sandbox that breaks at this submission alone is a fail. Throws `INTERRUPTED`, and the error of a
 * machine that offers no such sandbox.
 */
export async function runProbe(
  provider: SandboxProvider,
  probe: ChecklistProbe,
  submission: Uint8Array,
  options: { name: string; signal?: AbortSignal },
): Promise<ProbeAnswer> {
  let problem = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await runOnce(provider, probe, submission, options);
    } catch (error) {
      if (options.signal?.aborted) throw new AssayError('INTERRUPTED', {}, { cause: error });
      if (AssayError.is(error) && error.kind !== 'infrastructure' && error.kind !== 'task') throw error;
      problem = harmlessText(error instanceof Error ? error.message : String(error)).slice(0, MAX_OUTPUT);
    }
  }
  const control = await runOnce(provider, NO_PROBE, new Uint8Array(), options).catch(() => null);
  if (options.signal?.aborted) throw new AssayError('INTERRUPTED');
  return control === null
    ? { passed: null, evidence: `the sandbox could not run the probe: ${problem}` }
    : { passed: false, evidence: `the sandbox broke at this submission, and not without it: ${problem}` };
}

async function runOnce(
  provider: SandboxProvider,
  probe: ChecklistProbe,
  submission: Uint8Array,
  { name, signal }: { name: string; signal?: AbortSignal },
): Promise<ProbeAnswer> {
  const path = `/workspace/${name}`;
  const timeout = probe.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const sandbox: Sandbox = await provider.create({
    network: { kind: 'none' },
    env: { ASSAY_SUBMISSION: path },
    limits: { outputBytes: MAX_READ },
    signal,
  });
  try {
    await sandbox.writeFile(path, submission);
    const word = randomBytes(16).toString('hex');
    const argv = ['/bin/sh', '-c', TELL, 'probe', probe.command];
    const result = await sandbox.exec('', { argv, stdin: `${word}\n`, timeout, signal });
    signal?.throwIfAborted();
    const [stdout = '', told] = result.stdout.split(`\n${word} `);
    const passed = result.exitCode === 0 && result.timedOut !== true && told === '0\n';
    return { passed, evidence: describe({ ...result, stdout }, { timeout, told: told !== undefined }) };
  } finally {
    await sandbox.destroy();
  }
}

function describe(
  { exitCode, stdout, stderr, timedOut, outOfMemory, truncated }: ExecResult,
  { timeout, told }: { timeout: number; told: boolean },
): string {
  const end = timedOut
    ? `no end within ${timeout} ms`
    : `exit code ${exitCode}${outOfMemory ? ', out of memory' : ''}${told || exitCode !== 0 ? '' : untold(truncated)}`;
  return [
    end,
    ...[['stdout', stdout] as const, ['stderr', stderr] as const].flatMap(([name, text]) =>
      text.trim() === '' ? [] : [`${name}: ${lastPart(text)}`],
    ),
  ].join('; ');
}

/** Reason for not believing an exit code of 0. */
function untold(truncated: boolean | undefined): string {
  return truncated === true ? ', with more output than is read' : ', which the shell around the probe did not confirm';
}

function lastPart(text: string): string {
  const shown = harmlessText(text.slice(-4 * MAX_OUTPUT)).trim();
  return shown.length <= MAX_OUTPUT ? shown : `…${shown.slice(-MAX_OUTPUT).toWellFormed()}`;
}
