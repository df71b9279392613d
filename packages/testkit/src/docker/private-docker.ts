import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '@assay/sandbox';
import { debianImage } from './debian-image.ts';

const START_ATTEMPTS = 600;
const STOP_MS = 60_000;

export interface PrivateDockerOptions {
  /** Debian packages of the image. Default: a small Python. */
  packages?: readonly string[];
  /**
   * Gives containers a network, so that their ports can be published: through a network device that is made for it,
   * with no rule of a firewall and no way out.
   */
  bridge?: boolean;
}

/**
 * A Docker daemon of its own for one test file, with one image. It touches no other daemon, and no network that was
 * there. Needs root.
 */
export class PrivateDocker {
  /** The image's name. */
  readonly image = 'assay-test:latest';
  readonly #directory = mkdtempSync(join(tmpdir(), 'assay-docker-'));
  readonly #packages: readonly string[];
  readonly #bridge: string | null;
  #daemon: ChildProcess | undefined;

  constructor({ packages = ['python3-minimal'], bridge = false }: PrivateDockerOptions = {}) {
    this.#packages = packages;
    this.#bridge = bridge ? `assay${process.pid}` : null;
  }

  get socketPath(): string {
    return join(this.#directory, 'docker.sock');
  }

  /** Throws what the daemon said when it does not come up. */
  async start(): Promise<void> {
    const tarball = await debianImage(this.#packages);
    if (this.#bridge !== null) await makeBridge(this.#bridge);
    const at = (name: string): string => join(this.#directory, name);
    writeFileSync(
      at('daemon.json'),
      JSON.stringify({
        // It would else write a key of its own into the machine's configuration.
        'deprecated-key-path': at('key.json'),
        // Under new kernels the runsc of Debian 12 takes a container's network namespace for the host's, and refuses
        // it.
        runtimes: { runsc: { path: 'runsc', runtimeArgs: ['--network=none'] } },
      }),
    );
    const log = openSync(at('log'), 'w');
    this.#daemon = spawn(
      'setpriv',
      [
        // Its mounts are seen by nobody else and go with it. To show the whole host to a container it needs a shared
        // root.
        '--pdeathsig',
        'TERM',
        'unshare',
        '--mount',
        '--propagation',
        'shared',
        'dockerd',
        '--config-file',
        at('daemon.json'),
        '--data-root',
        at('data'),
        '--exec-root',
        at('exec'),
        '--pidfile',
        at('pid'),
        '--host',
        `unix://${this.socketPath}`,
        '--iptables=false',
        '--ip6tables=false',
        '--ip-forward=false',
        `--bridge=${this.#bridge ?? 'none'}`,
      ],
      { stdio: ['ignore', log, log], cwd: this.#directory },
    );
    closeSync(log);
    await this.#untilReady();
    await this.#post(`/images/create?fromSrc=-&repo=${this.image.replace(':', '&tag=')}`, tarball);
  }

  /** Ends it and removes all that it made. */
  async stop(): Promise<void> {
    const daemon = this.#daemon;
    if (daemon && daemon.exitCode === null && daemon.signalCode === null) {
      const ended = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      const forced = setTimeout(() => daemon.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(forced);
    }
    if (this.#bridge !== null) await runCommand(['ip', 'link', 'delete', this.#bridge]);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #untilReady(): Promise<void> {
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
      if (this.#daemon?.exitCode !== null) break;
      if (await this.#answers()) return;
      await sleep(100);
    }
    throw new Error(`the daemon does not come up: ${readFileSync(join(this.#directory, 'log'), 'utf8').slice(-2000)}`);
  }

  async #answers(): Promise<boolean> {
    const call = request({ socketPath: this.socketPath, path: '/_ping' });
    call.end();
    const [response] = await once(call, 'response').catch(() => []);
    response?.resume();
    return response?.statusCode === 200;
  }

  async #post(path: string, file: string): Promise<void> {
    const call = request({
      socketPath: this.socketPath,
      path,
      method: 'POST',
      headers: { 'content-type': 'application/x-tar' },
    });
    createReadStream(file).pipe(call);
    const [response] = await once(call, 'response');
    const said = await text(response);
    if (response.statusCode !== 200) throw new Error(`${path}: ${said}`);
  }
}

async function makeBridge(name: string): Promise<void> {
  const address = `172.30.${process.pid % 256}.1/24`;
  for (const words of [
    ['link', 'add', name, 'type', 'bridge'],
    ['address', 'add', address, 'dev', name],
    ['link', 'set', name, 'up'],
  ]) {
    const { exitCode, stderr } = await runCommand(['ip', ...words]);
    if (exitCode !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr.toString('utf8').trim()}`);
  }
}
