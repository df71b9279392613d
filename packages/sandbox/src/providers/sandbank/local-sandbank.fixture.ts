import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../process/run-command.ts';
import type { SandbankProvider, SandbankSandbox } from './sandbank-types.ts';

/** Directories of a local sandbox: place inside and name in the directory of the host. */
const DIRECTORIES: ReadonlyArray<[string, string]> = [['/tmp', 'tmp'], ['/home', 'home'], ['/workspace', 'workspace'], ['/var/tmp', 'var-tmp'], ['/dev/shm', 'shm']];
const ROOT = process.getuid?.() === 0;

interface Machine { init: ChildProcess; pid: number }

/**
 * A provider with the shape that Sandbank publishes, over a directory of this machine. Like the real ones it does no more than their
 * interface says: shell lines, files, no environment, no input, and processes live on.
 */
export class LocalSandbank implements SandbankProvider {
  readonly name = 'local';
  readonly #machines = new Map<string, Machine>();
  /** How many shell lines and how many files it was given. */
  readonly calls = { exec: 0, writeFile: 0, readFile: 0 };
  /** The longest content that `writeFile` takes, as with a provider that writes by command line. */
  longestWrite = Infinity;

  async create(): Promise<SandbankSandbox> {
    const directory = mkdtempSync(join(tmpdir(), 'assay-sandbank-'));
    for (const [, name] of DIRECTORIES) mkdirSync(join(directory, name), { mode: 0o777 });
    this.#machines.set(directory, await startMachine(directory));
    return {
      id: directory,
      exec: (command, options) => this.#exec(directory, command, options ?? {}),
      writeFile: async (path, content) => {
        this.calls.writeFile += 1;
        if (content.length > this.longestWrite) throw new Error('spawn E2BIG');
        await writeFile(this.#outside(directory, path), content);
      },
      readFile: async (path) => {
        this.calls.readFile += 1;
        return readFile(this.#outside(directory, path));
      },
    };
  }

  async destroy(id: string): Promise<void> {
    const machine = this.#machines.get(id);
    if (!machine) return;
    this.#machines.delete(id);
    const ended = once(machine.init, 'close');
    machine.init.kill('SIGKILL');
    await ended;
    rmSync(id, { recursive: true, force: true });
  }

  async #exec(directory: string, command: string, { timeout, cwd = '/' }: { timeout?: number; cwd?: string }): ReturnType<SandbankSandbox['exec']> {
    this.calls.exec += 1;
    const { pid } = this.#machine(directory);
    const user = ROOT ? [] : ['--user', '--preserve-credentials'];
    const argv = ['nsenter', '--target', String(pid), ...user, '--mount', '--pid', `--wd=${cwd}`, '--', 'sh', '-c', command];
    const { stdout, stderr, exitCode } = await runCommand(argv, timeout === undefined ? {} : { timeoutMs: timeout });
    return { stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8'), exitCode: exitCode ?? 137 };
  }

  #machine(id: string): Machine {
    const machine = this.#machines.get(id);
    if (machine) return machine;
    const error = new Error(`Sandbox '${id}' not found`);
    error.name = 'SandboxNotFoundError';
    throw error;
  }

  #outside(directory: string, path: string): string {
    this.#machine(directory);
    const place = DIRECTORIES.find(([inside]) => path === inside || path.startsWith(`${inside}/`));
    assert.ok(place, `no such directory: ${path}`);
    return join(directory, place[1], path.slice(place[0].length));
  }
}

/** Namespaces that live until they are killed, or this process is gone. What runs in them sees no process of the host. */
async function startMachine(directory: string): Promise<Machine> {
  const binds = DIRECTORIES.flatMap(([inside, name]) => ['--bind', join(directory, name), inside]);
  const links = ['bin', 'lib', 'lib64', 'sbin'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]);
  const namespaces = ['--unshare-pid', '--unshare-ipc', '--unshare-net', ...(ROOT ? [] : ['--unshare-user'])];
  const init = spawn('bwrap', [
    ...namespaces, '--die-with-parent', '--json-status-fd', '3', '--ro-bind', '/usr', '/usr', ...links, '--proc', '/proc', '--dev', '/dev', ...binds,
    'sh', '-c', 'echo ready; while :; do sleep 1000; done',
  ], { stdio: ['ignore', 'pipe', 'inherit', 'pipe'] });
  const [, stdout, , status] = init.stdio;
  assert.ok(stdout && status);
  let said = '';
  status.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  await once(stdout, 'data');
  while (!said.includes('\n')) await once(status, 'data');
  return { init, pid: Number(/"child-pid": *(\d+)/.exec(said)?.[1]) };
}
