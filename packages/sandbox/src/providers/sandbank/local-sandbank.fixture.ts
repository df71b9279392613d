import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SandbankProvider, SandbankSandbox } from './sandbank-types.ts';

/** Directories of a local sandbox: place inside and name in the directory of the host. */
const DIRECTORIES: ReadonlyArray<[string, string]> = [
  ['/tmp', 'tmp'],
  ['/home', 'home'],
  ['/workspace', 'workspace'],
  ['/var/tmp', 'var-tmp'],
  ['/dev/shm', 'shm'],
  ['/requests', 'requests'],
];

/** Runs what lies in /requests when its number and directory are said, and says the number again at its end. */
const SERVER = `
echo 0
while read -r n cwd; do
  ( { cd "$cwd" && sh -c "$(cat /requests/$n)" > /requests/$n.out 2> /requests/$n.err < /dev/null; echo $? > /requests/$n.code; echo $n; } & )
done
`;

type Executed = Awaited<ReturnType<SandbankSandbox['exec']>>;

/**
 * A provider with the shape that Sandbank publishes, over a directory of this machine. Like the real ones it does no
 * more than their interface says: shell lines, files, no environment, no input, and processes live on.
 */
export class LocalSandbank implements SandbankProvider {
  readonly name = 'local';
  readonly #machines = new Map<string, LocalMachine>();
  /** How many shell lines and how many files it was given. */
  readonly calls = { exec: 0, writeFile: 0, readFile: 0 };
  /** The longest content that `writeFile` takes, as with a provider that writes by command line. */
  longestWrite = Infinity;

  async create(): Promise<SandbankSandbox> {
    const machine = new LocalMachine();
    await machine.ready;
    const id = machine.directory;
    this.#machines.set(id, machine);
    return {
      id,
      exec: async (command, { cwd = '/' } = {}) => {
        this.calls.exec += 1;
        return this.#machine(id).exec(command, cwd);
      },
      writeFile: async (path, content) => {
        this.calls.writeFile += 1;
        if (content.length > this.longestWrite) throw new Error('spawn E2BIG');
        await writeFile(this.#machine(id).outside(path), content);
      },
      readFile: async (path) => {
        this.calls.readFile += 1;
        return readFile(this.#machine(id).outside(path));
      },
    };
  }

  async destroy(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    this.#machines.delete(id);
    await machine?.stop();
  }

  #machine(id: string): LocalMachine {
    return this.#machines.get(id) ?? notFound(id);
  }
}

/**
 * Namespaces that live until they are stopped, or this process is gone. What runs in them sees no process of the host.
 */
class LocalMachine {
  readonly directory = mkdtempSync(join(tmpdir(), 'assay-sandbank-'));
  readonly #server: ChildProcess;
  readonly #waiting = new Map<number, (ended: boolean) => void>();
  #requests = 0;
  /** Killed before that, it could leave its first process waiting for ever. */
  readonly ready = new Promise<boolean>((resolve) => this.#waiting.set(0, resolve));

  constructor() {
    for (const [, name] of DIRECTORIES) mkdirSync(join(this.directory, name));
    const binds = DIRECTORIES.flatMap(([inside, name]) => ['--bind', join(this.directory, name), inside]);
    const links = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
    const tree = ['--ro-bind', '/usr', '/usr', ...links, '--proc', '/proc', '--dev', '/dev', ...binds];
    const argv = ['--unshare-pid', '--unshare-ipc', '--unshare-net', '--die-with-parent', ...tree, 'sh', '-c', SERVER];
    this.#server = spawn('bwrap', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    assert.ok(this.#server.stdout);
    createInterface({ input: this.#server.stdout }).on('line', (line) => this.#waiting.get(Number(line))?.(true));
    this.#server.once('close', () => {
      for (const end of this.#waiting.values()) end(false);
    });
  }

  async exec(command: string, cwd: string): Promise<Executed> {
    const number = ++this.#requests;
    const at = (suffix: string): string => join(this.directory, 'requests', `${number}${suffix}`);
    writeFileSync(at(''), command);
    const ended = await new Promise<boolean>((resolve) => {
      this.#waiting.set(number, resolve);
      this.#server.stdin?.write(`${number} ${cwd}\n`);
    });
    this.#waiting.delete(number);
    if (!ended) return notFound(this.directory);
    return {
      stdout: readFileSync(at('.out'), 'utf8'),
      stderr: readFileSync(at('.err'), 'utf8'),
      exitCode: Number(readFileSync(at('.code'), 'utf8')),
    };
  }

  outside(path: string): string {
    const place = DIRECTORIES.find(([inside]) => path.startsWith(`${inside}/`));
    assert.ok(place, `no such directory: ${path}`);
    return join(this.directory, place[1], path.slice(place[0].length));
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.kill('SIGKILL');
    await closed;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function notFound(id: string): never {
  const error = new Error(`Sandbox '${id}' not found`);
  error.name = 'SandboxNotFoundError';
  throw error;
}
