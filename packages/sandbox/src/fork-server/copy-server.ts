import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AssayError } from '@assay/protocol/errors';
import type { ForkServer } from '../contract.ts';
import type { CgroupLeaf } from '../limits/sandbox-cgroup.ts';
import { exactDescriptors } from '../process/child-descriptors.ts';
import { hostEnvironment } from '../process/host-environment.ts';
import type { SandboxUser } from '../runtime/sandbox-user.ts';
import { OutputCollector } from '../process/output-collector.ts';

/** The program, as a file of the host and where it lies in the sandbox of a server. */
export const FORK_SERVER = {
  source: fileURLToPath(new URL('fork-server.py', import.meta.url)),
  target: '/opt/fork-server/fork-server.py',
};

/**
 * Returns a command that holds a place for a copy in a sandbox. It writes to a descriptor when it is there, and ends
 * with the exit code that it reads from its input. On `cold` there is no copy, and it becomes the command `argv`.
 */
export function waitForCopy(readyFd: number, argv: readonly string[]): string[] {
  const script = `
echo >&${readyFd}
exec ${readyFd}>&-
read -r end
[ "$end" = cold ] && exec "$@" </dev/null
exit "$end"`;
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}

export interface CopyRequest {
  /** A process of the host that is in the namespaces to join. Its standard output and error become the copy's. */
  insidePid: number;
  /** The control groups to be in, see `CgroupLeaf.admit`. */
  groups: ReturnType<CgroupLeaf['admit']>;
  cwd: string;
  env: Record<string, string>;
  /** A script and its arguments. */
  argv: string[];
}

interface CopyServerSetting {
  modules: readonly string[];
  seccomp: Buffer | null;
  user: SandboxUser;
  /** Removes the sandbox whose file tree it uses. */
  destroy: () => Promise<void>;
}

type CopyAnswer = { id: number } & ({ pid: number } | { exit: number } | { failed: string });
type Answer = { ready: true; failures: Record<string, string> } | { refused: string } | CopyAnswer;

/**
 * A Python process that has imported modules, of which copies run scripts in sandboxes, without the time that the
 * imports take. See the head of `fork-server.py`. It ends when its owner does.
 */
export class CopyServer implements ForkServer {
  readonly #child: ChildProcess;
  readonly #errors = new OutputCollector(16 * 1024);
  readonly #waiting = new Map<
    number,
    { request: CopyRequest; resolve: (exitCode: number) => void; reject: (error: Error) => void }
  >();
  readonly #ended: Promise<void>;
  readonly #started: Promise<void>;
  readonly #user: SandboxUser;
  readonly #destroy: () => Promise<void>;
  #copies = 0;
  #alive = true;
  /** Modules that cannot be imported, and why. */
  failures: Readonly<Record<string, string>> = {};

  private constructor(argv: string[], { user, destroy }: CopyServerSetting) {
    this.#user = user;
    this.#destroy = destroy;
    const [command = '', ...rest] = argv;
    this.#child = spawn(command, rest, {
      stdio: exactDescriptors<'pipe'>(['pipe', 'pipe', 'pipe']),
      env: hostEnvironment(),
      cwd: '/',
      detached: true,
    });
    const { stdin, stdout, stderr } = this.#child;
    if (!stdin || !stdout || !stderr) throw new AssayError('IMPOSSIBLE', { detail: 'a child without pipes' });
    stdin.on('error', () => undefined);
    stderr.on('data', (chunk: Buffer) => this.#errors.add(chunk));
    const started = Promise.withResolvers<void>();
    this.#started = started.promise;
    this.#started.catch(() => undefined);
    createInterface({ input: stdout }).on('line', (line) => this.#hear(JSON.parse(line) as Answer, started));
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    const end = (): void => {
      this.#alive = false;
      const said = this.#errors.bytes().toString('utf8').trim().split('\n').at(-1) ?? '';
      const gone = failure(said === '' ? 'it ended' : said);
      started.reject(gone);
      for (const { reject } of this.#waiting.values()) reject(gone);
      this.#waiting.clear();
      ended.resolve();
    };
    this.#child.once('error', end);
    this.#child.once('close', end);
  }

  /** `argv` runs the program on the host. Throws `SANDBOX_START_FAILED`. */
  static async start(argv: string[], setting: CopyServerSetting): Promise<CopyServer> {
    const server = new CopyServer(argv, setting);
    server.#tell({ modules: setting.modules, filter: setting.seccomp?.toString('base64') ?? '' });
    try {
      await server.#started;
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** The user of the server, for a sandbox in which copies are to run: only the same may join it. */
  shareUser(): SandboxUser {
    return this.#user.share();
  }

  runsAs(user: SandboxUser | null): boolean {
    return user === this.#user;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** The exit code of a copy, 128 + n after signal n. Rejects when the copy could not join. */
  run(request: CopyRequest): Promise<number> {
    this.#copies += 1;
    const id = this.#copies;
    return new Promise((resolve, reject) => {
      if (!this.#alive) return reject(failure('it has ended'));
      this.#waiting.set(id, { request, resolve, reject });
      const {
        insidePid,
        groups: { files, name, count },
        cwd,
        env,
        argv,
      } = request;
      this.#tell({ id, pid: insidePid, files, group: name, groups: count, cwd, env, argv });
    });
  }

  /** Kills it; copies run on. May be called twice. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
    await this.#destroy();
  }

  #tell(message: unknown): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  #hear(answer: Answer, started: PromiseWithResolvers<void>): void {
    if ('ready' in answer) {
      this.failures = answer.failures;
      started.resolve();
    } else if ('refused' in answer) {
      started.reject(failure(answer.refused));
    } else {
      this.#hearOf(answer);
    }
  }

  #hearOf(answer: CopyAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    if ('pid' in answer) return this.#put(answer.pid, waiting);
    this.#waiting.delete(answer.id);
    if ('exit' in answer) waiting.resolve(answer.exit);
    else waiting.reject(failure(answer.failed));
  }

  #put(pid: number, { request, reject }: { request: CopyRequest; reject: (error: Error) => void }): void {
    try {
      request.groups.put(pid);
    } catch (error) {
      // The group is gone: so is what was to run in it.
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

const failure = (detail: string): AssayError =>
  new AssayError('SANDBOX_START_FAILED', { provider: 'fork server', detail });
