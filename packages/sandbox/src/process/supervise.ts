import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { AssayError } from '@assay/protocol/errors';

export interface Supervision {
  /** Milliseconds. Default: no limit. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called beside killing the process group, for trees that are not in it. */
  onKill?: (() => void) | undefined;
}

export interface ProcessEnd {
  /** `null` when a signal ended it. */
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
}

/**
 * Waits for the end of a process that leads its own group, kills the group on a time-out and on abort, and kills what
 * is left of the group once the leader has ended. Rejects when the process could not be started.
 */
export function supervise(child: ChildProcess, supervision: Supervision): Promise<ProcessEnd> {
  const { timeoutMs, signal, onKill } = supervision;
  return new Promise((resolve, reject) => {
    let timedOut = false;
    const kill = (): void => {
      killGroup(child);
      onKill?.();
    };
    const onTimeout = (): void => {
      timedOut = true;
      kill();
    };
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill, { once: true });
    const cleanUp = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
    };
    child.on('error', (error) => {
      // Later errors (a failed kill) do not change how the process ends.
      if (child.pid !== undefined) return;
      cleanUp();
      reject(error);
    });
    child.once('exit', (exitCode, exitSignal) => {
      cleanUp();
      killGroup(child);
      resolve({ exitCode, signal: exitSignal, timedOut });
    });
  });
}

/** `INTERRUPTED`, with the reason that the caller gave. */
export function interrupted(signal: AbortSignal): AssayError {
  return new AssayError('INTERRUPTED', {}, { cause: signal.reason });
}

/** Turns the error of a start into `COMMAND_NOT_FOUND` where that is what it means. */
export function startError(error: unknown, command: string, cwd?: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const missingDirectory = cwd !== undefined && !existsSync(cwd);
  if (missingDirectory || (code !== 'ENOENT' && code !== 'EACCES')) return error;
  return new AssayError('COMMAND_NOT_FOUND', { command }, { cause: error });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group.
  }
}
