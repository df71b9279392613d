import { spawn, type ChildProcess } from 'node:child_process';
import { AssayError } from '@assay/protocol/errors';
import { OutputCollector } from './output-collector.ts';
import { interrupted, startError, supervise, type ProcessEnd } from './supervise.ts';

export interface RunCommandOptions {
  cwd?: string;
  /** The complete environment. Default: PATH, HOME and LANG of the host, nothing else. */
  env?: Record<string, string>;
  /** Written to standard input, which is then closed. Default: empty. */
  stdin?: string | Uint8Array;
  /** Milliseconds. After it the process group is killed and `timedOut` is set. Default: no limit. */
  timeoutMs?: number;
  /** Applies to stdout and stderr separately. The rest is read and dropped. Default 64 MiB. */
  maxOutputBytes?: number;
  /** When it fires the process group is killed and the call rejects with `INTERRUPTED`. */
  signal?: AbortSignal;
  /** Open descriptors of this process that the command inherits as 3, 4, 5… They stay open here. */
  fds?: number[];
}

export interface CommandResult extends ProcessEnd {
  stdout: Buffer;
  stderr: Buffer;
  /** stdout or stderr was longer than `maxOutputBytes`. */
  truncated: boolean;
  durationMs: number;
}

const DEFAULT_OUTPUT_BYTES = 64 * 1024 * 1024;
/**
 * How long output pipes may stay open, held by a daemon that left the process group, after the command itself is gone.
 */
const PIPE_GRACE_MS = 2000;

/**
 * Runs one command of the host and waits for its end. The command leads a process group of its own, which is killed
 * when the command ends, so background children do not outlive it.
 *
 * Never rejects because of an exit code. Rejects with `COMMAND_NOT_FOUND` when `argv[0]` cannot be run and with
 * `INTERRUPTED` when `signal` fires.
 */
export async function runCommand(argv: string[], options: RunCommandOptions = {}): Promise<CommandResult> {
  const [command, ...rest] = argv;
  if (command === undefined) throw new AssayError('IMPOSSIBLE', { detail: 'an empty argv' });
  if (options.signal?.aborted) throw interrupted(options.signal);

  const startedAt = performance.now();
  const limit = options.maxOutputBytes ?? DEFAULT_OUTPUT_BYTES;
  const stdout = new OutputCollector(limit);
  const stderr = new OutputCollector(limit);
  const end = await run(command, rest, options, (child) => {
    child.stdout?.on('data', (chunk: Buffer) => stdout.add(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
    // A command may end without reading its input.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.stdin ?? '');
  });
  if (options.signal?.aborted) throw interrupted(options.signal);
  return {
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
    ...end,
    truncated: stdout.truncated || stderr.truncated,
    durationMs: performance.now() - startedAt,
  };
}

async function run(
  command: string,
  rest: string[],
  options: RunCommandOptions,
  connect: (child: ChildProcess) => void,
): Promise<ProcessEnd> {
  try {
    const child = spawn(command, rest, {
      env: options.env ?? defaultEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...(options.fds ?? [])],
      cwd: options.cwd,
    });
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    connect(child);
    const end = await supervise(child, options);
    const timer = setTimeout(() => closePipes(child), PIPE_GRACE_MS);
    await closed;
    clearTimeout(timer);
    return end;
  } catch (error) {
    throw startError(error, command, options.cwd);
  }
}

function closePipes(child: ChildProcess): void {
  child.stdin?.destroy();
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function defaultEnvironment(): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
