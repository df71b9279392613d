import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { AssayError } from '@assay/protocol/errors';
import { exactDescriptors } from '../process/child-descriptors.ts';
import { hostEnvironment } from '../process/host-environment.ts';
import { OutputCollector } from '../process/output-collector.ts';

/**
 * What runs in the holder. It makes one tmpfs and then does what it is told, one line each: `mount FSTAB` mounts every
 * line of a table with one process, `pipes NAME…` makes named pipes. Its input ends only when its owner died without
 * destroying the sandbox: then it kills what runs in the control groups, removes them and the directory of the sandbox,
 * and dies, and all its mounts with it.
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
exec 2>/dev/null
directory=\${1%/*}
umount -l "$1"
shift 2
for round in 1 2 3 4 5 6 7 8 9; do
  left=
  for group; do
    [ -d "$group" ] || continue
    left=1
    echo 0 > "$group/pids.max"
    for members in "$group/cgroup.procs" "$group"/*/cgroup.procs; do
      while read -r pid; do kill -9 "$pid"; done < "$members"
    done
    rmdir "$group"/* "$group"
  done
  [ -z "$left" ] && break
  sleep 0.1
done
rm -rf --one-file-system "$directory"
rmdir "\${directory%/*}"
`;

/**
 * A process that owns a private mount namespace with one tmpfs in it. It lives as long as its standard input is open,
 * so it cannot outlive the process that started it, however that ends.
 */
export class Holder {
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #errors = new OutputCollector(16 * 1024);
  readonly #waiting: Array<(answer: string | null) => void> = [];
  readonly #ended: Promise<void>;
  #alive = true;

  private constructor(argv: string[]) {
    const [command = '', ...rest] = argv;
    const stdio = exactDescriptors<'pipe'>(['pipe', 'pipe', 'pipe']);
    this.#child = spawn(command, rest, { stdio, env: hostEnvironment(), cwd: '/', detached: true });
    const { stdin, stdout, stderr } = this.#child;
    if (!stdin || !stdout || !stderr) throw new AssayError('IMPOSSIBLE', { detail: 'a child without pipes' });
    this.#input = stdin;
    stdin.on('error', () => {});
    stderr.on('data', (chunk: Buffer) => this.#errors.add(chunk));
    createInterface({ input: stdout }).on('line', (line) => this.#waiting.shift()?.(line));
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

  /**
   * Mounts a tmpfs with `tmpfsOptions` at `directory`, which lies in a directory of this sandbox alone. `cgroups` are
   * the directories that it empties when this process dies. Throws `SANDBOX_START_FAILED`.
   */
  static async start(
    directory: string,
    tmpfsOptions: string,
    options: { rootless: boolean; cgroups: string[] },
  ): Promise<Holder> {
    const namespaces = options.rootless ? ['--user', '--map-root-user', '--mount'] : ['--mount'];
    const holder = new Holder([
      'unshare',
      ...namespaces,
      '--propagation',
      'private',
      'sh',
      '-c',
      SCRIPT,
      'sh',
      directory,
      tmpfsOptions,
      ...options.cgroups,
    ]);
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
    this.#input.write(`${line}\n`);
    if ((await answer) !== 'done') throw await this.#failure(`\`${line}\` failed`);
  }

  #answer(): Promise<string | null> {
    if (!this.#alive) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #failure(what: string): Promise<AssayError> {
    await this.stop();
    const said = this.#errors.bytes().toString('utf8').trim();
    return new AssayError('SANDBOX_START_FAILED', {
      provider: 'stage',
      detail: said === '' ? what : `${what}: ${said}`,
    });
  }
}
