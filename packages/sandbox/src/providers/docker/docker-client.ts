import type Docker from 'dockerode';
import { AssayError } from '@assay/protocol/errors';

/** A connection to a daemon. */
export interface DockerClient {
  docker: Docker;
  /** The daemon shares this machine's files and processes. Else there are no mounts, no lanes and nothing is swept. */
  local: boolean;
  /** A limit that the daemon cannot enforce, or null. */
  missingLimit: string | null;
}

const DEFAULT_SOCKET = '/var/run/docker.sock';

/**
 * Connects to `socketPath`, or else to what DOCKER_HOST names, or else to the socket where Docker puts it. Throws
 * `PROVIDER_UNAVAILABLE` when dockerode is not installed or no daemon answers.
 */
export async function connectDocker(socketPath: string | undefined): Promise<DockerClient> {
  const { default: Dockerode } = await loadDockerode();
  const host = process.env['DOCKER_HOST'] ?? '';
  const remote = socketPath === undefined && host !== '' && !host.startsWith('unix://');
  const socket = socketPath ?? (host.startsWith('unix://') ? host.slice('unix://'.length) : DEFAULT_SOCKET);
  // Without options it reads DOCKER_HOST and its companions itself.
  const docker = remote ? new Dockerode() : new Dockerode({ socketPath: socket });
  try {
    const info: { MemoryLimit?: boolean; PidsLimit?: boolean } = await docker.info();
    return {
      docker,
      local: !remote,
      missingLimit: info.MemoryLimit === false ? 'memory' : info.PidsLimit === false ? 'processes' : null,
    };
  } catch (error) {
    const hint =
      'Start it (`sudo systemctl start docker`), make sure that this user may use it (group `docker`), ' +
      'or give another socketPath or DOCKER_HOST.';
    throw new AssayError(
      'PROVIDER_UNAVAILABLE',
      { name: 'docker', detail: `no daemon answers at ${remote ? host : socket} (${messageOf(error)})`, hint },
      { cause: error },
    );
  }
}

async function loadDockerode(): Promise<{ default: typeof Docker }> {
  try {
    return await import('dockerode');
  } catch (error) {
    const hint = 'Run `npm install dockerode`.';
    throw new AssayError(
      'PROVIDER_UNAVAILABLE',
      { name: 'docker', detail: 'the package dockerode is not installed', hint },
      { cause: error },
    );
  }
}

/** The daemon's own words, which dockerode keeps beside its own. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const json = 'json' in error && typeof error.json === 'object' && error.json !== null ? error.json : {};
  const said = 'message' in json && typeof json.message === 'string' ? json.message : '';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return said || error.message || code;
}

/** The HTTP status of the daemon's answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
}

/** Does what may fail because it is done already: the container is gone (404), or does not run (409, 304). */
export async function unlessDone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (![304, 404, 409].includes(statusOf(error) ?? 0)) throw error;
  }
}
