import { AssayError } from '@assay/protocol/errors';
import type { IsolationLevel, LimitsLevel } from '@assay/protocol/isolation';
import type { Sandbox, SandboxOptions, SandboxProvider } from '../../contract.ts';
import { interrupted } from '../../process/supervise.ts';
import { resolveOptions, type ResolvedOptions } from '../../resolve-options.ts';
import { newSandboxId } from '../../runtime/runtime-directory.ts';
import type { DockerBuild } from './docker-build.ts';
import { requireLinux } from '../require-linux.ts';
import { connectDocker, messageOf, type DockerClient } from './docker-client.ts';
import { DockerHolder, startFailed } from './docker-holder.ts';
import { buildImage, findImage, type DockerImage } from './docker-image.ts';
import { DockerSandbox } from './docker-sandbox.ts';
import { ownerLabels, sweepDocker } from './owner-labels.ts';

export interface DockerProviderOptions {
  /**
   * For sandboxes that name none. It must be there already: nothing is pulled. It needs `/bin/sh`, `env`, `cat` and
   * `mkdir`.
   */
  image?: string;
  /** Instead of an image, one that is built from a Dockerfile before the first sandbox. */
  build?: DockerBuild;
  /** The daemon's socket. Default: what DOCKER_HOST says, or `/var/run/docker.sock`. */
  socketPath?: string;
  /**
   * A runtime that the daemon knows. `runsc` is gVisor, and makes the isolation level `gvisor`. Default: the daemon's.
   */
  runtime?: string;
}

/**
 * Sandboxes made by a Docker daemon: each exec is a container of its own, and all containers of a sandbox share its
 * files. Isolation level `namespace`, or `gvisor` with the runtime `runsc`. Needs the package dockerode.
 *
 * It has no layers, no `hostView` and no `exportDirectory`; with `runsc` or a daemon that is not on this machine no
 * lanes, with the latter no mounts, and with `runsc` the seal `network` stays on. Asking for one of them throws
 * `BAD_OPTION`. Limits on memory and processes hold for each exec, the one on disk for the sandbox.
 */
export class DockerProvider implements SandboxProvider {
  readonly name = 'docker';
  readonly isolation: IsolationLevel;
  readonly limits: LimitsLevel = 'full';
  readonly interactive = true;
  readonly #options: DockerProviderOptions;
  readonly #sandboxes = new Map<string, Sandbox>();
  #client: Promise<DockerClient> | undefined;
  #built: Promise<DockerImage> | undefined;

  constructor(options: DockerProviderOptions = {}) {
    this.#options = options;
    this.isolation = options.runtime === 'runsc' ? 'gvisor' : 'namespace';
  }

  /**
   * Throws `PROVIDER_UNAVAILABLE` (no dockerode, no daemon, no such runtime), `LIMITS_UNAVAILABLE`, `BAD_OPTION`,
   * `UNKNOWN_SEAL`, `SANDBOX_START_FAILED`, `INTERRUPTED`.
   */
  async create(options: SandboxOptions = {}): Promise<Sandbox> {
    requireLinux(this.name);
    if (options.signal?.aborted) throw interrupted(options.signal);
    const resolved = resolveOptions(options);
    refuseLayers(resolved);
    if (resolved.root !== null) throw refused('root', 'the provider docker takes images');
    if (resolved.asRoot) throw refused('user', 'the provider docker runs commands as one user, who is not root');
    const client = await this.#connect();
    this.#refuseImpossible(client, resolved);
    const sandbox = await this.#start(client.docker, resolved, options).catch((error: unknown) => {
      throw AssayError.is(error) ? error : startFailed(messageOf(error), error);
    });
    this.#sandboxes.set(sandbox.id, sandbox);
    await destroyOnAbort(sandbox, options.signal);
    return sandbox;
  }

  async destroy(id: string): Promise<void> {
    await this.#sandboxes.get(id)?.destroy();
  }

  async #start(
    docker: DockerClient['docker'],
    resolved: ResolvedOptions,
    options: SandboxOptions,
  ): Promise<DockerSandbox> {
    const id = newSandboxId();
    const image = await this.#image(docker, options.image);
    const traits = {
      image: image.id,
      volumes: image.volumes,
      runtime: this.#options.runtime,
      labels: ownerLabels(id),
      options: resolved,
    };
    const holder = await DockerHolder.start(docker, traits);
    return new DockerSandbox({
      id,
      docker,
      holder,
      traits,
      env: environment(resolved, image, options.env),
      onDestroy: () => this.#sandboxes.delete(id),
    });
  }

  #refuseImpossible(
    { local, missingLimit }: DockerClient,
    { mounts, lanes, unsealed, shareNetwork }: ResolvedOptions,
  ): void {
    if (!local && (mounts.length > 0 || lanes.length > 0)) throw refused('mounts', 'the daemon is not on this machine');
    if (this.isolation === 'gvisor' && lanes.length > 0)
      throw refused('network', 'lanes do not reach into gVisor under Docker');
    if (this.isolation === 'gvisor' && shareNetwork)
      throw refused('unsealed', 'the seal `network` cannot be taken off under gVisor');
    if (missingLimit === null || unsealed.has('limits')) return;
    throw new AssayError('LIMITS_UNAVAILABLE', {
      limit: missingLimit,
      detail: 'this Docker daemon has no control group for it',
    });
  }

  /** Connects once, and first removes what owners that died left with this daemon. */
  #connect(): Promise<DockerClient> {
    this.#client ??= connectDocker(this.#options.socketPath).then(async (client) => {
      if (client.local) await sweepDocker(client.docker);
      return client;
    });
    // A daemon that is not there now may be there later.
    this.#client.catch(() => (this.#client = undefined));
    return this.#client;
  }

  #image(docker: DockerClient['docker'], asked: string | undefined): Promise<DockerImage> {
    const { image, build } = this.#options;
    if (asked !== undefined) return findImage(docker, asked);
    if (build !== undefined) return (this.#built ??= buildImage(docker, build, {}));
    if (image !== undefined) return findImage(docker, image);
    throw refused('image', 'no image is given, neither to the provider nor to the sandbox');
  }
}

/** An image's own PATH leads to its tools, so it counts more than the neutral one. */
function environment(
  resolved: ResolvedOptions,
  image: DockerImage,
  asked: Record<string, string> = {},
): Record<string, string> {
  const path = asked['PATH'] ?? image.env['PATH'] ?? resolved.env['PATH'] ?? '';
  return { ...image.env, ...resolved.env, PATH: path };
}

function refuseLayers({ mounts }: ResolvedOptions): void {
  const layers = mounts.find(({ kind }) => kind === 'layers');
  if (layers) throw refused(`mount at ${layers.target}`, 'the provider docker has no layers');
}

function refused(option: string, detail: string): AssayError {
  return new AssayError('BAD_OPTION', { option, detail });
}

async function destroyOnAbort(sandbox: Sandbox, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) {
    await sandbox.destroy();
    throw interrupted(signal);
  }
  signal?.addEventListener('abort', () => void sandbox.destroy(), { once: true });
}
