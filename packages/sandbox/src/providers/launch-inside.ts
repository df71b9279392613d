import type { Lane } from '../contract.ts';
import { withLanes } from '../lanes/lane-mounts.ts';
import type { ExecRequest } from './process-runner.ts';

/**
 * Process 1 of a pid namespace: runs the command as a child (process 1 itself is immune to signals that it has no
 * handler for), reaps what daemons leave, says nothing of its own and ends with the command's exit code, 128 + n after
 * signal n.
 */
export const INIT = 'exec 9>&2 2>/dev/null; (exec "$@" 2>&9 9>&-); exit $?';

export interface Launch {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
}

const OWN_ENVIRONMENT = { PATH: '/usr/bin:/bin' };

/** Variables by which a program loads code, or changes its ways, before it has begun. */
const LOADER_VARIABLES = /^(LD_|GLIBC_|MALLOC_|BASH_|ENV$|SHELLOPTS$|GCONV_PATH$|LOCPATH$)/;

/**
 * For a provider that makes process 1 run in its directory with its environment. `shell` is one that the user inside
 * may run and not read, so that no process inside can look into process 1 or speak through its descriptors.
 */
export function launchUnderShell(request: ExecRequest, lanes: Lane[], shell: string): Launch {
  const plain = lanes.length === 0 && !Object.keys(request.env).some((name) => LOADER_VARIABLES.test(name));
  if (!plain) return launchUnderInit(request, lanes, shell);
  return { ...request, argv: [shell, '-c', INIT, 'sh', ...request.argv] };
}

/**
 * For a provider that starts the command itself in its directory with its environment: as it is, unless lanes need a
 * relay before it.
 */
export function launchDirectly(request: ExecRequest, lanes: Lane[]): Launch {
  if (lanes.length === 0) return request;
  return { argv: withLanes(lanes, withEnvironment(request)), env: OWN_ENVIRONMENT, cwd: '/' };
}

/** For a provider that brings no init of its own and has its own ideas about environments and missing directories. */
export function launchUnderInit(request: ExecRequest, lanes: Lane[], shell = '/bin/sh'): Launch {
  return {
    argv: [shell, '-c', INIT, 'sh', ...withLanes(lanes, withEnvironment(request))],
    env: OWN_ENVIRONMENT,
    cwd: '/',
  };
}

/**
 * The command with its working directory and exact environment set by env(1): 127 when it is not found, 126 when it
 * cannot run, 125 without the directory.
 */
function withEnvironment(request: ExecRequest): string[] {
  const assignments = Object.entries(request.env).map(([name, value]) => `${name}=${value}`);
  return ['/usr/bin/env', `--chdir=${request.cwd}`, '-i', ...assignments, ...request.argv];
}
