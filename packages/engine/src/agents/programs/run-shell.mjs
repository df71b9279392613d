// Runs one shell command with a time-out and a cap on its output.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';

/** How long output may still come, from what the command left running, when the command itself has ended. */
const GRACE_MS = 500;
const SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

/**
 * Standard output and error in the order they come. Of a long output, begin and end are kept.
 * @param {string} command
 * @param {{cwd: string, timeoutMs: number, outputBytes: number}} limits
 * @returns {Promise<{output: string, exitCode: number, timedOut: boolean}>}
 */
export function runShell(command, { cwd, timeoutMs, outputBytes }) {
  return new Promise((resolve) => {
    const kept = new BeginAndEnd(outputBytes);
    const child = spawn(SHELL, ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      killGroup(child);
    }, timeoutMs);
    const end = (exitCode) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ output: kept.text(), exitCode, timedOut });
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => kept.add(chunk));
    child.once('error', (error) => {
      kept.add(Buffer.from(error.message));
      end(127);
    });
    child.once('exit', (code, signal) => {
      const exitCode = timedOut ? 124 : (code ?? 128 + (constants.signals[signal] ?? 0));
      const grace = setTimeout(() => end(exitCode), GRACE_MS);
      child.once('close', () => {
        clearTimeout(grace);
        end(exitCode);
      });
    });
  });
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/** The first and the last bytes of what may be endless. */
class BeginAndEnd {
  #half;
  #begin = Buffer.alloc(0);
  #end = Buffer.alloc(0);
  #left = 0;

  constructor(bytes) {
    this.#half = Math.floor(bytes / 2);
  }

  add(chunk) {
    const room = this.#half - this.#begin.length;
    if (room > 0) this.#begin = Buffer.concat([this.#begin, chunk.subarray(0, room)]);
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    const joined = Buffer.concat([this.#end, rest]);
    this.#left += Math.max(0, joined.length - this.#half);
    this.#end = Buffer.from(joined.subarray(Math.max(0, joined.length - this.#half)));
  }

  text() {
    const gap = this.#left > 0 ? `\n[… ${this.#left} bytes left out …]\n` : '';
    return `${this.#begin.toString('utf8')}${gap}${this.#end.toString('utf8')}`;
  }
}
