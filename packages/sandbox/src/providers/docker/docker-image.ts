import type Docker from 'dockerode';
import { AssayError } from '@assay/protocol/errors';
import type { DockerBuild } from './docker-build.ts';
import { messageOf, statusOf } from './docker-client.ts';

export interface DockerImage {
  id: string;
  /** Declared by the image. Part of the default environment. */
  env: Record<string, string>;
  /** Directories that it declares as volumes. */
  volumes: string[];
}

/** Looks the image up. Never fetches one. Throws `BAD_OPTION` when the daemon does not have it. */
export async function findImage(docker: Docker, name: string): Promise<DockerImage> {
  try {
    const { Id: id, Config: config } = await docker.getImage(name).inspect();
    // An imported image may have none.
    return { id, env: parseEnvironment(config?.Env ?? []), volumes: Object.keys(config?.Volumes ?? {}) };
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    throw new AssayError(
      'BAD_OPTION',
      { option: 'image', detail: `the daemon has no ${name}; run \`docker pull ${name}\` first` },
      { cause: error },
    );
  }
}

/**
 * Builds an image, from the daemon's cache where nothing changed. Throws `BAD_OPTION` with the last words of a build
 * that failed.
 */
export async function buildImage(
  docker: Docker,
  build: DockerBuild,
  labels: Record<string, string>,
): Promise<DockerImage> {
  const said: string[] = [];
  let id: string | undefined;
  try {
    const output = await docker.buildImage(
      { context: build.context, src: ['.'] },
      {
        dockerfile: build.dockerfile ?? 'Dockerfile',
        networkmode: build.network ?? 'none',
        labels,
        rm: true,
        forcerm: true,
      },
    );
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(
        output,
        (error) => (error ? reject(error) : resolve()),
        (event: unknown) => {
          const { stream, error, built } = readBuildEvent(event);
          said.push(error ?? stream ?? '');
          id = built ?? id;
        },
      );
    });
  } catch (error) {
    throw buildFailed(messageOf(error), error);
  }
  if (id === undefined) throw buildFailed(said.join('').trim().slice(-500));
  return findImage(docker, id);
}

function buildFailed(detail: string, cause?: unknown): AssayError {
  return new AssayError(
    'BAD_OPTION',
    { option: 'build', detail: `the image could not be built: ${detail}` },
    { cause },
  );
}

function readBuildEvent(event: unknown): { stream?: string; error?: string; built?: string } {
  if (typeof event !== 'object' || event === null) return {};
  const aux = 'aux' in event && typeof event.aux === 'object' && event.aux !== null ? event.aux : {};
  return {
    stream: 'stream' in event && typeof event.stream === 'string' ? event.stream : undefined,
    error: 'error' in event && typeof event.error === 'string' ? event.error : undefined,
    built: 'ID' in aux && typeof aux.ID === 'string' ? aux.ID : undefined,
  };
}

function parseEnvironment(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines
      .filter((line) => line.indexOf('=') > 0)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
