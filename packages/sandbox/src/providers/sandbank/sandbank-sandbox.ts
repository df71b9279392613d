import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssayError } from '@assay/protocol/errors';
import type { ExecOptions, ExecResult, Sandbox } from '../../contract.ts';
import { interrupted } from '../../process/supervise.ts';
import {
  checkArguments,
  checkEnvironment,
  checkExposures,
  insidePath,
  type ResolvedOptions,
} from '../../resolve-options.ts';
import {
  execScript,
  killScript,
  plainLine,
  readScriptEnd,
  setUpScript,
  type ScriptEnd,
  type ScriptedExec,
} from './exec-script.ts';
import type { SandbankProvider, SandbankSandbox } from './sandbank-types.ts';

const TIMED_OUT = 124;
/** The longest command line, in bytes. One argument may have 128 KiB, and providers wrap and encode it once more. */
const LONGEST_LINE = 48 * 1024;
/** The most that is written at once where a provider takes files only through a command line. */
const PIECE_BYTES = 48 * 1024;
/** Time for the provider's own work, on top of the time of a command. */
const GRACE_MS = 30_000;
/** How long a killed command may take to say so, before it is killed again. */
const KILL_WAIT_MS = 3000;
const KILL_ATTEMPTS = 5;

type Executed = { stdout: string; stderr: string; exitCode: number };

/** A sandbox of Sandbank behind our contract. What its interface lacks is done by scripts inside. */
export class SandbankSandboxAdapter implements Sandbox {
  readonly id: string;
  readonly #inner: SandbankSandbox;
  readonly #provider: SandbankProvider;
  readonly #options: ResolvedOptions;
  readonly #onDestroy: () => void;
  readonly #stopping = new AbortController();
  #destroyed: Promise<void> | undefined;

  constructor(inner: SandbankSandbox, provider: SandbankProvider, options: ResolvedOptions, onDestroy: () => void) {
    this.id = inner.id;
    this.#inner = inner;
    this.#provider = provider;
    this.#options = options;
    this.#onDestroy = onDestroy;
  }

  /** Makes the standard directories. Throws `PROVIDER_UNAVAILABLE` when the image lacks what the contract needs. */
  async setUp(): Promise<void> {
    const { stdout, stderr, exitCode } = await this.#raw(
      plainLine(setUpScript(), newDirectory()),
      this.#options.timeoutMs,
    );
    const detail = stdout.trim() || (exitCode === 0 ? '' : stderr.trim() || `its set-up ended with ${exitCode}`);
    if (detail === '') return;
    const hint =
      'Give an image with a POSIX shell, coreutils and setsid, and a user that may write to /workspace and /home.';
    throw new AssayError('PROVIDER_UNAVAILABLE', {
      name: this.#provider.name,
      detail: detail.replaceAll('\n', '; '),
      hint,
    });
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const startedAt = performance.now();
    this.#throwIfStopped(options.signal);
    checkExposures(options.expose ?? [], { provider: this.#provider.name, possible: false, shareNetwork: false });
    const { stdin } = options;
    const whole = stdin === undefined || typeof stdin === 'string' || stdin instanceof Uint8Array;
    if (!whole || options.onStdout)
      throw new AssayError('BAD_OPTION', {
        option: whole ? 'onStdout' : 'stdin',
        detail: `the provider ${this.#provider.name} is not interactive`,
      });
    const scripted = this.#scripted(command, options);
    if (stdin !== undefined) scripted.stdinBytes = await this.#write(`${scripted.directory}/stdin`, stdin);
    const result = await this.#supervised(scripted, options);
    return { ...result, durationMs: performance.now() - startedAt };
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    this.#throwIfStopped(undefined);
    const target = insidePath('path', path, this.#options.cwd);
    const script = 'mkdir -p -- "$2" && cat > "$1"';
    const result = await this.exec('', {
      argv: ['/bin/sh', '-c', script, 'sh', target, dirname(target)],
      cwd: '/',
      stdin: content,
    });
    if (result.exitCode !== 0) throw fileError(target, result);
  }

  async readFile(path: string): Promise<string> {
    const target = insidePath('path', path, this.#options.cwd);
    const result = await this.exec('', { argv: ['cat', '--', target], cwd: '/' });
    if (result.exitCode !== 0) throw fileError(target, result);
    if (result.truncated)
      throw new AssayError('SANDBOX_FILE_FAILED', { path: target, detail: 'it is larger than the output limit' });
    return result.stdout;
  }

  destroy(): Promise<void> {
    this.#destroyed ??= this.#destroy();
    return this.#destroyed;
  }

  #scripted(command: string, options: ExecOptions): ScriptedExec {
    const { env, cwd: base, outputBytes } = this.#options;
    const cwd = insidePath('cwd', options.cwd ?? base, base);
    const argv = checkArguments(options.argv ?? ['/bin/sh', '-c', command]);
    return {
      directory: newDirectory(),
      argv,
      cwd,
      env: checkEnvironment({ PWD: cwd, ...env, ...options.env }),
      stdinBytes: null,
      outputBytes,
    };
  }

  /** Runs the script and kills the command after its time, on abort and on destroy. */
  async #supervised(scripted: ScriptedExec, options: ExecOptions): Promise<ExecResult> {
    const timeoutMs = options.timeout ?? this.#options.timeoutMs;
    const timer = AbortSignal.timeout(timeoutMs);
    const stop = AbortSignal.any([timer, this.#stopping.signal, ...(options.signal ? [options.signal] : [])]);
    const running = this.#run(scripted, timeoutMs + GRACE_MS);
    running.catch(() => undefined);
    const ended = await Promise.race([
      running.then(
        () => true,
        () => true,
      ),
      aborted(stop).then(() => false),
    ]);
    if (ended) return running;
    if (!this.#stopping.signal.aborted) await this.#killUntilEnded(running, scripted.directory);
    this.#throwIfStopped(options.signal);
    // Without an answer even then, stop waiting: the time is over in any case.
    const result = await Promise.race([running, sleep(KILL_WAIT_MS, null, { ref: false })]).catch(() => null);
    this.#throwIfStopped(options.signal);
    return { stdout: '', stderr: '', ...result, exitCode: TIMED_OUT, timedOut: true };
  }

  async #run(scripted: ScriptedExec, timeoutMs: number): Promise<ExecResult> {
    const { stdout, stderr, exitCode } = await this.#script(execScript(scripted), scripted.directory, timeoutMs);
    const end = readScriptEnd(stdout);
    if (!end)
      throw this.#failed(
        `the command's end was not reported (exit ${exitCode}): ${stderr.trim() || stdout.trim().slice(-300)}`,
      );
    const output = end.output ?? (await this.#collect(scripted.directory));
    return { ...this.#cut(end, output), exitCode: end.exitCode, timedOut: false, outOfMemory: false };
  }

  #cut(
    end: ScriptEnd,
    output: { stdout: Uint8Array; stderr: Uint8Array },
  ): { stdout: string; stderr: string; truncated: boolean } {
    const { outputBytes } = this.#options;
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).subarray(0, outputBytes).toString('utf8');
    return {
      stdout: text(output.stdout),
      stderr: text(output.stderr),
      truncated: end.stdoutBytes > outputBytes || end.stderrBytes > outputBytes,
    };
  }

  async #collect(directory: string): Promise<{ stdout: Uint8Array; stderr: Uint8Array }> {
    const [stdout, stderr] = await Promise.all(
      ['stdout', 'stderr'].map((name) => this.#guard(this.#inner.readFile(`${directory}/${name}`))),
    );
    await this.#raw(`rm -rf ${directory}`, GRACE_MS);
    return { stdout: stdout ?? new Uint8Array(), stderr: stderr ?? new Uint8Array() };
  }

  /** A script that is too long for a command line goes as a file. */
  async #script(script: string, directory: string, timeoutMs: number): Promise<Executed> {
    const line = plainLine(script, directory);
    if (line.length <= LONGEST_LINE) return this.#raw(line, timeoutMs);
    await this.#write(`${directory}/run`, script);
    return this.#raw(`sh ${directory}/run`, timeoutMs);
  }

  /**
   * Again and again: the command may not have been started yet. What cannot be killed lives on until the sandbox is
   * destroyed.
   */
  async #killUntilEnded(running: Promise<unknown>, directory: string): Promise<void> {
    const over = running.then(
      () => true,
      () => true,
    );
    for (let attempt = 0; attempt < KILL_ATTEMPTS; attempt++) {
      await this.#raw(plainLine(killScript(directory), newDirectory()), GRACE_MS).catch(() => undefined);
      if (await Promise.race([over, sleep(KILL_WAIT_MS, false, { ref: false })])) return;
    }
  }

  /**
   * Writes a file with a plain name. Providers without a way of their own put it on a command line, where only little
   * fits: then in pieces.
   */
  async #write(path: string, content: string | Uint8Array): Promise<number> {
    // A copy: some providers send the whole buffer of which a view is a part.
    const bytes = Uint8Array.from(Buffer.from(content));
    await this.#raw(`mkdir -p ${dirname(path)}`, GRACE_MS);
    if (bytes.length <= PIECE_BYTES) {
      await this.#guard(this.#inner.writeFile(path, bytes));
      return bytes.length;
    }
    const wrote = await this.#inner.writeFile(path, bytes).then(
      () => true,
      () => false,
    );
    if (wrote) return bytes.length;
    await this.#raw(`rm -f ${path}`, GRACE_MS);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      await this.#guard(this.#inner.writeFile(`${path}.piece`, bytes.slice(start, start + PIECE_BYTES)));
      const { exitCode, stderr } = await this.#raw(`cat ${path}.piece >> ${path} && rm ${path}.piece`, GRACE_MS);
      if (exitCode !== 0) throw new AssayError('SANDBOX_FILE_FAILED', { path, detail: stderr.trim() });
    }
    return bytes.length;
  }

  #raw(line: string, timeoutMs: number): Promise<Executed> {
    return this.#guard(this.#inner.exec(line, { timeout: timeoutMs, cwd: '/' }));
  }

  /** The provider's errors become ours. */
  async #guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const name = error instanceof Error ? error.name : '';
      if (name === 'SandboxNotFoundError' || name === 'SandboxStateError') throw this.#gone(error);
      throw this.#failed(error instanceof Error ? error.message : String(error), error);
    }
  }

  #throwIfStopped(signal: AbortSignal | undefined): void {
    if (this.#stopping.signal.aborted) throw this.#gone();
    if (signal?.aborted) throw interrupted(signal);
  }

  async #destroy(): Promise<void> {
    this.#stopping.abort();
    await this.#guard(this.#provider.destroy(this.id));
    this.#onDestroy();
  }

  #gone(cause?: unknown): AssayError {
    return new AssayError('SANDBOX_GONE', { id: this.id }, { cause });
  }

  #failed(detail: string, cause?: unknown): AssayError {
    return new AssayError('SANDBOX_START_FAILED', { provider: this.#provider.name, detail }, { cause });
  }
}

function newDirectory(): string {
  return `/tmp/.assay-${randomBytes(8).toString('hex')}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function fileError(path: string, result: ExecResult): AssayError {
  const detail = result.stderr.trim().split('\n').at(-1) ?? '';
  return new AssayError('SANDBOX_FILE_FAILED', { path, detail: detail === '' ? `exit ${result.exitCode}` : detail });
}
