import { dirname } from 'node:path';
import type Docker from 'dockerode';
import { AssayError } from '@assay/protocol/errors';
import type { ExecOptions, ExecResult, Sandbox } from '../../contract.ts';
import { interrupted } from '../../process/supervise.ts';
import { checkArguments, checkEnvironment, checkExposures, insidePath } from '../../resolve-options.ts';
import { execSettings, type ContainerTraits } from './container-settings.ts';
import { messageOf, unlessDone } from './docker-client.ts';
import { startFailed, type DockerHolder } from './docker-holder.ts';
import { runContainer, type ContainerEnd } from './run-container.ts';

const TIMED_OUT = 124;
const KILLED = 137;

export interface DockerSandboxParts {
  id: string;
  docker: Docker;
  holder: DockerHolder;
  traits: ContainerTraits;
  /** The environment of every exec. */
  env: Record<string, string>;
  onDestroy: () => void;
}

/** A sandbox whose files are a volume in memory, and whose execs are containers of their own that share it. */
export class DockerSandbox implements Sandbox {
  readonly id: string;
  readonly #parts: DockerSandboxParts;
  readonly #stopping = new AbortController();
  /** Execs, and removals of their containers. */
  readonly #busy = new Set<Promise<unknown>>();
  #destroyed: Promise<void> | undefined;

  constructor(parts: DockerSandboxParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    return this.#track(this.#exec(command, options));
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const target = insidePath('path', path, this.#parts.traits.options.cwd);
    const script = 'mkdir -p -- "$2" && cat > "$1"';
    const result = await this.exec('', {
      argv: ['/bin/sh', '-c', script, 'sh', target, dirname(target)],
      cwd: '/',
      stdin: content,
    });
    if (result.exitCode !== 0) throw fileError(target, result);
  }

  async readFile(path: string): Promise<string> {
    const target = insidePath('path', path, this.#parts.traits.options.cwd);
    const result = await this.exec('', { argv: ['/bin/cat', '--', target], cwd: '/' });
    if (result.exitCode !== 0) throw fileError(target, result);
    if (result.truncated)
      throw new AssayError('SANDBOX_FILE_FAILED', { path: target, detail: 'it is larger than the output limit' });
    return result.stdout;
  }

  destroy(): Promise<void> {
    this.#destroyed ??= this.#destroy();
    return this.#destroyed;
  }

  async #exec(command: string, options: ExecOptions): Promise<ExecResult> {
    if (this.#destroyed) throw this.#gone();
    const startedAt = performance.now();
    const { traits, env } = this.#parts;
    checkExposures(options.expose ?? [], { provider: 'docker', possible: false, shareNetwork: false });
    const cwd = insidePath('cwd', options.cwd ?? traits.options.cwd, traits.options.cwd);
    const argv = checkArguments(options.argv ?? ['/bin/sh', '-c', command]);
    const request = { argv, cwd, env: checkEnvironment({ PWD: cwd, ...env, ...options.env }) };
    const signal = options.signal ? AbortSignal.any([options.signal, this.#stopping.signal]) : this.#stopping.signal;
    this.#throwIfStopped(options.signal);
    const end = await this.#run(
      execSettings(traits, request, { ...this.#parts.holder, stdin: options.stdin !== undefined }),
      options,
      signal,
    );
    this.#throwIfStopped(options.signal);
    const exitCode = end.timedOut ? TIMED_OUT : end.outOfMemory ? KILLED : end.exitCode;
    return { ...end, exitCode, durationMs: performance.now() - startedAt };
  }

  async #run(
    settings: Docker.ContainerCreateOptions,
    options: ExecOptions,
    signal: AbortSignal,
  ): Promise<ContainerEnd> {
    const { docker, traits } = this.#parts;
    const run = {
      signal,
      stdin: options.stdin,
      onStdout: options.onStdout,
      outputBytes: traits.options.outputBytes,
      timeoutMs: options.timeout ?? traits.options.timeoutMs,
    };
    let container: Docker.Container | undefined;
    try {
      container = await docker.createContainer(settings);
      return await runContainer(container, run);
    } catch (error) {
      this.#throwIfStopped(options.signal);
      throw (await this.#parts.holder.alive().catch(() => false)) ? startFailed(messageOf(error), error) : this.#gone();
    } finally {
      // Everything is dead already: no need to wait until the daemon forgets it.
      if (container) void this.#track(unlessDone(container.remove({ force: true, v: true })).catch(() => undefined));
    }
  }

  #throwIfStopped(signal: AbortSignal | undefined): void {
    if (this.#stopping.signal.aborted) throw this.#gone();
    if (signal?.aborted) throw interrupted(signal);
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#busy.add(work);
    try {
      return await work;
    } finally {
      this.#busy.delete(work);
    }
  }

  async #destroy(): Promise<void> {
    this.#stopping.abort();
    // An exec that ends adds the removal of its container.
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy);
    await this.#parts.holder.stop();
    this.#parts.onDestroy();
  }

  #gone(): AssayError {
    return new AssayError('SANDBOX_GONE', { id: this.id });
  }
}

function fileError(path: string, result: ExecResult): AssayError {
  const detail = result.stderr.trim().split('\n').at(-1) ?? '';
  return new AssayError('SANDBOX_FILE_FAILED', { path, detail: detail === '' ? `exit ${result.exitCode}` : detail });
}
