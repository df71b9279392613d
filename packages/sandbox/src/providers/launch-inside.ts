import type { ExecRequest } from './process-runner.ts';

/**
 * Process 1 of a pid namespace: runs the command as a child (process 1 itself is immune to signals that it has no handler for), reaps
 * what daemons leave, says nothing of its own and ends with the command's exit code, 128 + n after signal n.
 */
const INIT = 'exec 9>&2 2>/dev/null; (exec "$@" 2>&9 9>&-); exit $?';

/** The command with its working directory and exact environment set by env(1): 127 when it is not found, 126 when it cannot run, 125 without the directory. */
export function withEnvironment(request: ExecRequest): string[] {
  const assignments = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  return ['/usr/bin/env', `--chdir=${request.cwd}`, '-i', ...assignments, ...request.argv];
}

/** The command under a small init process. */
export function withInit(argv: string[]): string[] {
  return ['/bin/sh', '-c', INIT, 'sh', ...argv];
}
