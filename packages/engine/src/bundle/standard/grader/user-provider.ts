import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, ExecResult, Sandbox, SandboxOptions, SandboxProvider } from '@assay/sandbox';

const USER = 10001;
const HOMES = '/home/sandbox';
const MIB = 1024 * 1024;
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', TMPDIR: '/tmp', TZ: 'UTC' };

/**
 * "Sandboxes" that are processes of an unprivileged user, in the container in which the grader runs as root: the user
 * id is the only wall between them. When a command ends, every process of that user is killed. Only for Harbor's
 * verifier image.
 */
export class UserProvider implements SandboxProvider {
  readonly name = 'user';
  readonly isolation = 'none';
  readonly interactive = true;

  create({ env = {}, limits, timeout = 120_000 }: SandboxOptions = {}): Promise<Sandbox> {
    mkdirSync(HOMES, { recursive: true, mode: 0o755 });
    const directory = mkdtempSync(join(HOMES, 'case-'));
    chownSync(directory, USER, USER);
    return Promise.resolve(new UserSandbox(directory, { env, timeout, outputBytes: limits?.outputBytes ?? 16 * MIB }));
  }

  destroy(): Promise<void> {
    return Promise.resolve();
  }
}

interface Defaults {
  env: Record<string, string>;
  timeout: number;
  outputBytes: number;
}

class UserSandbox implements Sandbox {
  readonly id: string;
  readonly #defaults: Defaults;

  constructor(directory: string, defaults: Defaults) {
    this.id = directory;
    this.#defaults = defaults;
  }

  writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const target = resolve(this.id, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, { flag: 'wx', mode: 0o755 });
    return Promise.resolve();
  }

  readFile(): Promise<string> {
    return Promise.reject(new Error('nothing is read here'));
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const {
      argv = ['/bin/sh', '-c', command],
      stdin = '',
      timeout = this.#defaults.timeout,
      onStdout,
      signal,
    } = options;
    signal?.throwIfAborted();
    const [file = '', ...rest] = unprivileged(argv);
    const child = spawn(file, rest, {
      cwd: this.id,
      env: { ...ENVIRONMENT, HOME: this.id, ...this.#defaults.env, ...options.env },
      uid: USER,
      gid: USER,
      detached: true,
      stdio: 'pipe',
    });
    const output = collect(child, this.#defaults.outputBytes, onStdout);
    void feed(child, stdin);
    const end = await ended(child, timeout, signal);
    await killAllOfUser();
    await output.closed;
    signal?.throwIfAborted();
    return { ...output.texts(), exitCode: end.exitCode, timedOut: end.timedOut };
  }

  async destroy(): Promise<void> {
    await killAllOfUser();
    rmSync(this.id, { recursive: true, force: true });
  }
}

function unprivileged(argv: string[]): string[] {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  return setpriv ? [setpriv, '--no-new-privs', '--', ...argv] : argv;
}

async function feed(
  { stdin }: ChildProcessWithoutNullStreams,
  input: NonNullable<ExecOptions['stdin']>,
): Promise<void> {
  // The command need not read its input.
  stdin.on('error', () => undefined);
  const pieces = typeof input === 'string' || input instanceof Uint8Array ? [input] : input;
  for await (const piece of pieces) if (stdin.writable) stdin.write(piece);
  stdin.end();
}

async function ended(
  child: ChildProcessWithoutNullStreams,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<{ exitCode: number; timedOut: boolean }> {
  return new Promise((finish, reject) => {
    const timer = setTimeout(() => finish({ exitCode: 124, timedOut: true }), timeout);
    const done = (exitCode: number): void => {
      clearTimeout(timer);
      finish({ exitCode, timedOut: false });
    };
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', (code, killedBy) => done(code ?? (killedBy === null ? 1 : 137)));
    signal?.addEventListener('abort', () => done(137), { once: true });
  });
}

interface Output {
  closed: Promise<unknown>;
  texts(): { stdout: string; stderr: string; truncated: boolean };
}

function collect(
  child: ChildProcessWithoutNullStreams,
  limit: number,
  onStdout: ((text: string) => void) | undefined,
): Output {
  const held = { stdout: '', stderr: '' };
  let truncated = false;
  const read = (name: 'stdout' | 'stderr', listener?: (text: string) => void): Promise<void> =>
    new Promise((closed) => {
      child[name].setEncoding('utf8');
      child[name].on('data', (text: string) => {
        const room = limit - held[name].length;
        if (text.length > room) truncated = true;
        held[name] += text.slice(0, room);
        if (room > 0) listener?.(text.slice(0, room));
      });
      child[name].once('close', () => closed());
    });
  const closed = Promise.all([read('stdout', onStdout), read('stderr')]);
  return {
    closed: Promise.race([closed, sleep(30_000, undefined, { ref: false })]),
    texts: () => ({ ...held, truncated }),
  };
}

/** Repeats until none is left, since a process may fork between the look and the kill. */
async function killAllOfUser(): Promise<void> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(10)) {
    const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && runsAsUser(name));
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // Already gone.
      }
    }
  }
  throw new Error('processes of the submission could not be ended');
}

function runsAsUser(pid: string): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    return new RegExp(`^Uid:.*\\b${USER}\\b`, 'm').test(text) && !/^State:\s+[ZX]/m.test(text);
  } catch {
    return false;
  }
}
