import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { AssayError } from '@assay/protocol';
import { OutputCollector } from './output-collector.ts';

export interface RunCommandOptions {
  cwd?: string;
  /** The complete environment. Default: PATH, HOME and LANG of the host, nothing else. */
  env?: Record<string, string>;
  /** Written to standard input, which is then closed. Default: empty. */
  stdin?: string | Uint8Array;
  /** Milliseconds. After it the process group is killed and `timedOut` is set. Default: no limit. */
  timeoutMs?: number;
  /** Of stdout and of stderr, each; what is beyond is read and dropped. Default 64 MiB. */
  maxOutputBytes?: number;
  /** When it fires the process group is killed and the call rejects with `INTERRUPTED`. */
  signal?: AbortSignal;
  /** Open descriptors of this process that the command inherits as 3, 4, 5… They stay open here. */
  fds?: number[];
  /** Called beside killing the process group, for trees that are not in it. */
  onKill?: () => void;
}

export interface CommandResult {
  stdout: Buffer;
  stderr: Buffer;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
  /** stdout or stderr was longer than `maxOutputBytes`. */
  truncated: boolean;
  durationMs: number;
}

const DEFAULT_OUTPUT_BYTES = 64 * 1024 * 1024;
/** How long output pipes may stay open, held by a daemon that left the process group, after the command itself is gone. */
const PIPE_GRACE_MS = 2000;

/**
 * Runs one command of the host and waits for its end. The command leads a process group of its own, which is killed when the
 * command ends, so background children do not outlive it.
 *
 * Never rejects because of an exit code. Rejects with `COMMAND_NOT_FOUND` when `argv[0]` cannot be run and with `INTERRUPTED`
 * when `signal` fires.
 */
export async function runCommand(argv: string[], options: RunCommandOptions = {}): Promise<CommandResult> {
  const [command, ...rest] = argv;
  if (command === undefined) throw new AssayError('IMPOSSIBLE', { detail: 'an empty argv' });
  if (options.signal?.aborted) throw interrupted(options.signal);

  const startedAt = performance.now();
  const limit = options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const stdout = new OutputCollector(limit);
  const stderr = new OutputCollector(limit);
  const child = start(command, rest, options);
  child.stdout?.on('data', (chunk: Buffer) => stdout.add(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  // A command may end without reading its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.stdin ?? '');

  const end = await untilEnd(child, command, options);
  if (options.signal?.aborted) throw interrupted(options.signal);
  return {
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    ...end,
    truncated: stdout.truncated || stderr.truncated,
    durationMs: performance.now() - startedAt,
  };
}

function start(command: string, rest: string[], options: RunCommandOptions): ChildProcess {
  try {
    return spawn(command, rest, {
      env: options.env ?? defaultEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(options.fds ?? [])],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
  } catch (error) {
    throw startError(error, command, options);
  }
}

function untilEnd(
  child: ChildProcess,
  command: string,
  options: RunCommandOptions,
): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null; timedOut: boolean }> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let pipeTimer: NodeJS.Timeout | undefined;
    const kill = (): void => {
      killGroup(child);
      options.onKill?.();
    };
    const onTimeout = (): void => {
      timedOut = true;
      kill();
    };
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(onTimeout, options.timeoutMs);
    options.signal?.addEventListener('abort', kill, { once: true });
    const cleanUp = (): void => {
      clearTimeout(timer);
      clearTimeout(pipeTimer);
      options.signal?.removeEventListener('abort', kill);
    };
    child.once('error', (error) => {
      // Later errors (a failed kill) do not change how the command ends.
      if (child.pid !== undefined) return;
      cleanUp();
      reject(startError(error, command, options));
    });
    child.once('exit', () => {
      clearTimeout(timer);
      killGroup(child);
      pipeTimer = setTimeout(() => closePipes(child), PIPE_GRACE_MS);
    });
    child.once('close', (exitCode, signal) => {
      cleanUp();
      resolve({ exitCode, signal, timedOut });
    });
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}

function closePipes(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function interrupted(signal: AbortSignal): AssayError {
  return new AssayError('INTERRUPTED', {}, { cause: signal.reason });
}

function startError(error: unknown, command: string, options: RunCommandOptions): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const missingDirectory = options.cwd !== undefined && !existsSync(options.cwd);
  if (missingDirectory || (code !== 'ENOENT' && code !== 'EACCES')) return error;
  return new AssayError('COMMAND_NOT_FOUND', { command }, { cause: error });
}

function defaultEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
