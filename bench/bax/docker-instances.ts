import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHttpClient } from '../../packages/bax/src/http/http-client.ts';
import type { AppImage } from '../../packages/bax/src/grade/app-image.ts';
import type { TestApp } from '../../packages/bax/src/test-app.ts';
import { runCommand, type Mount } from '@assay/sandbox';
import { PrivateDocker } from '@assay/testkit';
import Docker from 'dockerode';

const PORT = 5000;
const MEMORY = 1024 ** 3;
const START_MS = 60_000;
/** System packages that the apps and their frameworks use. */
const PACKAGES = ['python3', 'procps', 'g++', 'imagemagick'];

/** How a container is watched: `asUpstream` as BaxBench's harness does, `lean` with nothing that is not needed. */
export type Way = 'asUpstream' | 'lean';
const POLL_MS: Readonly<Record<Way, number>> = { asUpstream: 1000, lean: 20 };

/** Files of an answer, and what of its framework lies around them. */
export interface DockerImage {
  id: string;
  /** Read-only: a container takes no longer with them. */
  binds: string[];
}

export interface DockerInstance {
  app: TestApp;
  stop(): Promise<void>;
}

/** Containers of the same apps, by a daemon of its own. */
export class DockerInstances {
  readonly #daemon = new PrivateDocker({ packages: PACKAGES, bridge: true });
  readonly #docker = new Docker({ socketPath: this.#daemon.socketPath });
  #port = 0;

  /** Throws why there can be no daemon, or no image. */
  static async open(): Promise<DockerInstances> {
    const instances = new DockerInstances();
    try {
      await instances.#daemon.start();
      instances.#port = await freePort();
      return instances;
    } catch (error) {
      await instances.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#daemon.stop();
  }

  /** The system and the answer, with its framework's layers. */
  async imageOf({ mounts, env, root, startCommand }: AppImage): Promise<DockerImage> {
    if (root !== undefined) throw new Error('a framework with a system of its own is not measured here');
    const binds = mounts.flatMap((mount) => (mount.kind === 'read-only' ? [`${mount.source}:${mount.target}:ro`] : []));
    const variables = Object.entries({ HOME: '/root', LANG: 'C.UTF-8', ...env })
      .map(([name, value]) => `ENV ${name}=${JSON.stringify(value)}\n`)
      .join('');
    return { binds, id: await this.#build(mounts, `${variables}WORKDIR /app\nCMD ${startCommand}\n`) };
  }

  /** A container whose app has answered. Throws when it does not within a minute. */
  async start(image: DockerImage, way: Way): Promise<DockerInstance> {
    const container = await this.#create(image);
    try {
      await container.start();
      const client = openHttpClient({ endpoint: { port: this.#port }, totalMs: START_MS });
      const deadline = performance.now() + START_MS;
      while (
        !(await client.get('/').then(
          () => true,
          () => false,
        ))
      ) {
        if (performance.now() > deadline)
          throw new Error(
            `it does not answer: ${(await container.logs({ stdout: true, stderr: true })).toString('utf8').slice(-500)}`,
          );
        await sleep(POLL_MS[way]);
      }
      if (way === 'asUpstream') await listProcesses(container);
    } catch (error) {
      await container.remove({ force: true });
      throw error;
    }
    return {
      app: this.#appOf(container),
      stop: async () => {
        if (way === 'asUpstream') await listProcesses(container);
        if (way === 'asUpstream') await container.logs({ stdout: true, stderr: true });
        await container.remove({ force: true });
      },
    };
  }

  /** Milliseconds of a container in which `true` runs. */
  async bare(image: DockerImage): Promise<number> {
    const start = performance.now();
    const container = await this.#create(image, { Cmd: ['true'] });
    await container.start();
    await container.wait();
    await container.remove({ force: true });
    return performance.now() - start;
  }

  #create({ id, binds }: DockerImage, more: Docker.ContainerCreateOptions = {}): Promise<Docker.Container> {
    const ports = { [`${PORT}/tcp`]: [{ HostIp: '127.0.0.1', HostPort: String(this.#port) }] };
    return this.#docker.createContainer({
      Image: id,
      ExposedPorts: { [`${PORT}/tcp`]: {} },
      HostConfig: { Memory: MEMORY, Binds: binds, PortBindings: ports },
      ...more,
    });
  }

  /** The app as functional tests see it: requests, and files that they put there. */
  #appOf(container: Docker.Container): TestApp {
    const signal = AbortSignal.timeout(2 * START_MS);
    const never = (): never => {
      throw new Error('functional tests do not look inside');
    };
    return {
      signal,
      http: openHttpClient({ endpoint: { port: this.#port }, signal }),
      get: never,
      sql: never,
      tables: never,
      alive: never,
      memory: never,
      temporaryBytes: never,
      put: async (path, content) => {
        await checked(
          [
            'docker',
            '--host',
            `unix://${this.#daemon.socketPath}`,
            'exec',
            '-i',
            container.id,
            'sh',
            '-c',
            'mkdir -p "$1" && cat > "$2"',
            'sh',
            dirname(path),
            path,
          ],
          content,
        );
      },
    };
  }

  async #build(mounts: readonly Mount[], settings: string): Promise<string> {
    const context = await mkdtemp(join(tmpdir(), 'assay-bench-image-'));
    try {
      await mkdir(join(context, 'tree/app'), { recursive: true });
      for (const mount of mounts) await place(mount, join(context, 'tree'));
      await writeFile(join(context, 'Dockerfile'), `FROM ${this.#daemon.image}\nCOPY tree/ /\n${settings}`);
      const output = await this.#docker.buildImage({ context, src: ['.'] }, { networkmode: 'none' });
      return await new Promise((resolve, reject) => {
        let id = '';
        const onEvent = (event: { error?: string; aux?: { ID?: string } }): void => {
          id = event.aux?.ID ?? id;
          if (event.error !== undefined) reject(new Error(event.error));
        };
        this.#docker.modem.followProgress(output, (error) => (error ? reject(error) : resolve(id)), onEvent);
      });
    } finally {
      await rm(context, { recursive: true, force: true });
    }
  }
}

/** The topmost layer last. */
async function place(mount: Mount, tree: string): Promise<void> {
  if (mount.kind !== 'layers') return;
  for (const source of mount.sources.toReversed())
    await cp(source, join(tree, mount.target), { recursive: true, verbatimSymlinks: true });
}

async function listProcesses(container: Docker.Container): Promise<void> {
  const listing = await container.exec({ Cmd: ['ps', 'aux'], AttachStdout: true });
  const stream = await listing.start({});
  stream.resume();
  await new Promise((resolve) => stream.once('end', resolve));
}

async function checked(argv: string[], stdin: string | Uint8Array): Promise<void> {
  const { exitCode, stderr } = await runCommand(argv, { stdin });
  if (exitCode !== 0) throw new Error(`${argv[0]}: ${stderr.toString('utf8').trim()}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
      });
  });
}
