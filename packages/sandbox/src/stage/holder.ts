import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol/errors';
import { sandboxOwner, type Owner } from '../owner.ts';
import { exactDescriptors } from '../process/child-descriptors.ts';
import { hostEnvironment } from '../process/host-environment.ts';
import { OutputCollector } from '../process/output-collector.ts';

const PROGRAM = fileURLToPath(new URL('holder.pl', import.meta.url));

/** Numbers of the system calls mount, unshare, mknodat, setgroups, setresgid and setresuid. */
const SYSTEM_CALLS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: '165,272,259,116,119,117',
  arm64: '40,97,33,159,149,147',
};

/** One command to the holder: a verb and its fields, see the head of `holder.pl`. */
export type HolderCommand = readonly [verb: 'bind' | 'overlay' | 'devpts' | 'pipes', ...fields: string[]];

export interface HolderSetting {
  /** The user whom the sandbox runs as. `null` when rootless. */
  owner: Owner | null;
  /** The map of a user namespace that the user shall have made, empty for none. */
  userMap: string;
  /** Directories that it empties when this process dies. */
  cgroups: string[];
}

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
  #userNamespace: string | null = null;

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
   * Mounts a tmpfs with `tmpfsOptions` at `directory`, which lies in a directory of this sandbox alone. Throws
   * `SANDBOX_START_FAILED`.
   */
  static async start(
    directory: string,
    tmpfsOptions: string,
    { owner, userMap, cgroups }: HolderSetting,
  ): Promise<Holder> {
    const numbers = SYSTEM_CALLS[process.arch];
    if (numbers === undefined) throw startFailed(`it is not made for ${process.arch}`);
    const holder = new Holder([
      'perl',
      PROGRAM,
      numbers,
      directory,
      tmpfsOptions,
      owner === null ? '-' : String(owner.uid),
      String(sandboxOwner?.uid ?? 0),
      owner === null ? '' : userMap,
      ...cgroups,
    ]);
    const [word, descriptor] = (await holder.#answer())?.split(' ') ?? [];
    if (word !== 'ready') throw await holder.#failure('its mount namespace could not be made');
    holder.#userNamespace = descriptor === undefined ? null : `/proc/${holder.pid}/fd/${descriptor}`;
    return holder;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Returns the path at which this process sees the holder's `path`. */
  hostPath(path: string): string {
    return `/proc/${this.pid}/root${path}`;
  }

  /** The user namespace that the user of the sandbox made, as a path for this process. */
  get userNamespace(): string | null {
    return this.#userNamespace;
  }

  /** Carries out commands in one go. Throws `SANDBOX_START_FAILED` with the first that fails; the rest is left out. */
  async run(commands: readonly HolderCommand[]): Promise<void> {
    const answer = this.#answer();
    const lines = [...commands, ['go']].map((fields) => fields.map(escapeField).join('\t'));
    this.#input.write(`${lines.join('\n')}\n`);
    const said = await answer;
    if (said === 'done') return;
    if (said === null) throw await this.#failure('it ended');
    throw startFailed(said.replace(/^failed /, ''));
  }

  /** Kills it. Its mounts are gone once nothing else runs in its namespace. */
  async stop(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #answer(): Promise<string | null> {
    if (!this.#alive) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #failure(what: string): Promise<AssayError> {
    await this.stop();
    const said = this.#errors.bytes().toString('utf8').trim();
    return startFailed(said === '' ? what : `${what}: ${said}`);
  }
}

function startFailed(detail: string): AssayError {
  return new AssayError('SANDBOX_START_FAILED', { provider: 'stage', detail });
}

function escapeField(field: string): string {
  return field.replace(
    /[%\t\n]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
