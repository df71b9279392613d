import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { AssayError } from '@assay/protocol';
import { hostEnvironment } from '../process/host-environment.ts';
import { OutputCollector } from '../process/output-collector.ts';

/**
 * What runs in the holder. It makes one tmpfs and then does what it is told, one line each: `mount FSTAB` mounts every line of a
 * table with one process, `pipes NAME…` makes named pipes. At the end of its input it dies, and all its mounts with it.
 */
const SCRIPT = `
mount -t tmpfs -o "$2" assay "$1" || exit 1
echo ready
while read -r verb rest; do
  case $verb in
    mount) mount --all --fstab "$rest" && echo done || echo failed ;;
    pipes) mkfifo -m 666 $rest && echo done || echo failed ;;
  esac
done
`;

/**
 * A process that owns a private mount namespace with one tmpfs in it. It lives as long as its standard input is open, so it cannot
 * outlive the process that started it, however that ends.
 */
export class Holder {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #errors = new OutputCollector(16 * 1024);
  readonly #waiting: Array<(answer: string | null) => void> = [];
  readonly #ended: Promise<void>;
  #alive = true;

  private constructor(argv: string[]) {
    const [command = '', ...rest] = argv;
    this.#child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'pipe'], env: hostEnvironment(), cwd: '/', detached: true });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (chunk: Buffer) => this.#errors.add(chunk));
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#waiting.shift()?.(line));
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#alive = false;
        for (const answer of this.#waiting.splice(0)) answer(null);
        resolve();
      };
      this.#child.once('error', end);
      this.#child.once('close', end);
    });
  }

  /** Mounts a tmpfs with `tmpfsOptions` at `directory`. Throws `SANDBOX_START_FAILED`. */
  static async start(directory: string, tmpfsOptions: string, options: { rootless: boolean }): Promise<Holder> {
    const namespaces = options.rootless ? ['--user', '--map-root-user', '--mount'] : ['--mount'];
    const holder = new Holder(['unshare', ...namespaces, '--propagation', 'private', 'sh', '-c', SCRIPT, 'sh', directory, tmpfsOptions]);
    if ((await holder.#answer()) !== 'ready') throw await holder.#failure('its mount namespace could not be made');
    return holder;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Its view of a path, for this process. */
  hostPath(path: string): string {
    return `/proc/${this.pid}/root${path}`;
  }

  /** Mounts what an fstab(5) file lists. The path must be plain. Throws `SANDBOX_START_FAILED`. */
  async mountAll(fstab: string): Promise<void> {
    await this.#tell(`mount ${fstab}`);
  }

  /** Makes named pipes that everybody may open. The paths must be plain. */
  async makePipes(paths: string[]): Promise<void> {
    await this.#tell(`pipes ${paths.join(' ')}`);
  }

  /** Kills it. Its mounts are gone once nothing else runs in its namespace. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async #tell(line: string): Promise<void> {
    const answer = this.#answer();
    this.#child.stdin.write(`${line}\n`);
    if ((await answer) !== 'done') throw await this.#failure(`\`${line}\` failed`);
  }

  #answer(): Promise<string | null> {
    if (!this.#alive) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #failure(what: string): Promise<AssayError> {
    await this.stop();
    const said = this.#errors.bytes().toString('utf8').trim();
    return new AssayError('SANDBOX_START_FAILED', { provider: 'stage', detail: said === '' ? what : `${what}: ${said}` });
  }
}
