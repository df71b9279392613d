import { closeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { AssayError } from '@assay/protocol/errors';
import type {
  ExecOptions,
  ExecResult,
  Exposure,
  ForkServer,
  ForkServerProgram,
  Sandbox,
  SandboxUsage,
} from '../contract.ts';
import { ExposedPorts } from '../expose/exposed-ports.ts';
import { listensInside } from '../expose/listens-inside.ts';
import { Copy } from '../fork-server/copy.ts';
import { CopyServer, FORK_SERVER } from '../fork-server/copy-server.ts';
import { countInside, processTree, residentMemory } from '../limits/process-usage.ts';
import type { CgroupLeaf, SandboxCgroup } from '../limits/sandbox-cgroup.ts';
import type { Owner } from '../owner.ts';
import { openAnonymousFile } from '../process/anonymous-file.ts';
import { runWithPipes, type PipedResult } from '../process/run-with-pipes.ts';
import {
  checkArguments,
  checkEnvironment,
  checkExposures,
  insidePath,
  type ResolvedOptions,
} from '../resolve-options.ts';
import type { SandboxUser } from '../runtime/sandbox-user.ts';
import type { Stage } from '../stage/stage.ts';
import { exportTree } from './export-tree.ts';
import {
  diskUsageInside,
  kindInside,
  readInside,
  writeInside,
  type FileKind,
  type InsideResult,
  type RunInside,
} from './files-inside.ts';
import type { ExecRequest, PreparedExec, ProcessRunner, RunnerContext } from './process-runner.ts';

const TIMED_OUT = 124;
const CANNOT_RUN = 126;
const KILLED = 137;
/** The program loader looks into /proc where it is; the control groups are beside the tree. */
const WITH_PROC =
  'mkdir -p "$1/proc" && mount --bind /proc "$1/proc" && exec 3</proc 4</sys/fs/cgroup && shift && exec "$@"';

export interface StageSandboxParts {
  id: string;
  runner: ProcessRunner;
  stage: Stage;
  cgroup: SandboxCgroup | null;
  options: ResolvedOptions;
  /** Null where the sandbox runs as the common owner of files. */
  user: SandboxUser | null;
  directory: string;
  /** Told whether every process of the sandbox is known to be dead. */
  onDestroy: (allDead: boolean) => void;
}

type RawResult = Omit<ExecResult, 'stdout' | 'stderr'> & InsideResult;

/**
 * A sandbox whose files are a {@link Stage} and whose execs are process trees, each in new namespaces and a cgroup
 * leaf.
 */
export class StageSandbox implements Sandbox {
  readonly id: string;
  readonly #parts: StageSandboxParts;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  readonly #prepared = new Set<PreparedExec>();
  #destroyed: Promise<void> | undefined;

  constructor(parts: StageSandboxParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const { stdout, stderr, ...rest } = await this.#track(() => this.#exec(command, options));
    return { stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8'), ...rest };
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    await writeInside(this.#runInside, this.#inside(path), content);
  }

  async readFile(path: string): Promise<string> {
    return (await this.#read(path)).toString('utf8');
  }

  async readFileBytes(path: string): Promise<Uint8Array> {
    return this.#read(path);
  }

  kindOf(path: string): Promise<FileKind | null> {
    return kindInside(this.#runInside, this.#inside(path));
  }

  diskUsage(path: string): Promise<number> {
    return diskUsageInside(this.#runInside, this.#inside(path));
  }

  async usage(): Promise<SandboxUsage> {
    this.#assertAlive();
    const { stage, cgroup, runner } = this.#parts;
    const memory = cgroup?.memory() ?? null;
    const processIds = cgroup?.processIds() ?? this.#insidePids().flatMap(processTree);
    return {
      ...(memory ?? { ...residentMemory(processIds), peakMemoryBytes: null }),
      processes: runner.hostNamespaces ? countInside(processIds) : null,
      diskBytes: await stage.diskBytes(),
      exact: memory !== null,
    };
  }

  /** Throws `BAD_OPTION` where the network inside is not one of the host's kernel. */
  async listens(port: number): Promise<boolean> {
    this.#assertAlive();
    const { name, hostNamespaces } = this.#parts.runner;
    if (!hostNamespaces)
      throw new AssayError('BAD_OPTION', {
        option: 'listens',
        detail: `the network of ${name} cannot be seen from outside`,
      });
    const answers = await Promise.all(this.#insidePids().map((pid) => listensInside(pid, port)));
    return answers.includes(true);
  }

  get hostOwner(): Owner | null {
    return this.#parts.stage.owner;
  }

  hostView(path: string): string {
    this.#assertAlive();
    return this.#parts.stage.hostView(path);
  }

  async exportDirectory(path: string, hostDirectory: string): Promise<void> {
    this.hostView(path);
    // A running command could swap a directory for a link while it is being copied.
    if (this.#running.size > 0)
      throw new AssayError('SANDBOX_FILE_FAILED', { path, detail: 'it cannot be exported while a command runs' });
    const { enter, source } = this.#parts.stage.exportSource(path);
    await exportTree(enter, source, hostDirectory, this.#parts.user);
  }

  destroy(): Promise<void> {
    this.#destroyed ??= this.#destroy();
    return this.#destroyed;
  }

  #inside(path: string): string {
    return insidePath('path', path, this.#parts.options.cwd);
  }

  readonly #runInside: RunInside = (argv, options = {}) =>
    this.#track(() => this.#exec('', { ...options, argv, cwd: '/' }));

  #read(path: string): Promise<Buffer> {
    return readInside(this.#runInside, this.#inside(path), this.#parts.options.outputBytes);
  }

  /** One for each running exec that has come so far. */
  #insidePids(): number[] {
    return [...this.#prepared].map((prepared) => prepared.insidePid?.() ?? null).filter((pid) => pid !== null);
  }

  async #track<T>(start: () => Promise<T>): Promise<T> {
    this.#assertAlive();
    const run = start();
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  async #exec(command: string, options: ExecOptions): Promise<RawResult> {
    const {
      stage,
      cgroup,
      runner,
      options: { shareNetwork },
    } = this.#parts;
    const rootless = stage.owner === null;
    const startedAt = performance.now();
    const copied = this.#copied(options);
    const request = { ...this.#request(command, options), copy: copied !== null };
    const exposures = checkExposures(options.expose ?? [], {
      provider: runner.name,
      possible: runner.hostNamespaces,
      shareNetwork,
    });
    const pipes = await stage.takePipes();
    const leaf = cgroup?.leaf();
    const prepared = runner.prepare(request, this.#context(pipes, leaf));
    this.#prepared.add(prepared);
    let ports: ExposedPorts | null = null;
    const copy = copied && leaf ? new Copy(copied, { request, leaf, prepared, user: copied.user }) : null;
    const pieces = copy ? copy.end() : isIterable(options.stdin) ? options.stdin : null;
    const whole = isIterable(options.stdin) ? '' : (options.stdin ?? '');
    const stdin = openAnonymousFile(this.#parts.directory, whole);
    try {
      ports = await this.#openPorts(exposures, prepared);
      const result = await runWithPipes(pipes, {
        argv: throughPipe(
          limitProcess(
            leaf && !runner.managesCgroup ? joinCgroup(leaf, prepared.argv) : prepared.argv,
            this.#parts.options,
            rootless,
          ),
          whole,
        ),
        fds: prepared.fds,
        stdin: pieces ?? stdin,
        onStdout: options.onStdout,
        outputBytes: this.#parts.options.outputBytes,
        timeoutMs: options.timeout ?? this.#parts.options.timeoutMs,
        signal: options.signal ? AbortSignal.any([options.signal, this.#stopping.signal]) : this.#stopping.signal,
        onKill: () => killAll(leaf, prepared),
        onEnd: () => killAll(leaf, prepared),
      });
      stage.returnPipes(pipes);
      return { ...this.#outcome(result, prepared, leaf), durationMs: performance.now() - startedAt };
    } catch (error) {
      if (this.#stopping.signal.aborted) throw this.#gone();
      throw error;
    } finally {
      this.#prepared.delete(prepared);
      copy?.forget();
      await ports?.close();
      closeSync(stdin);
      await leaf?.remove();
      await prepared.dispose();
    }
  }

  async #openPorts(exposures: Exposure[], prepared: PreparedExec): Promise<ExposedPorts | null> {
    if (exposures.length === 0) return null;
    const { owner, holderPid } = this.#parts.stage;
    const ports = await ExposedPorts.open(exposures);
    ports.start({ insidePid: () => prepared.insidePid?.() ?? null, holderPid: owner === null ? holderPid : null });
    return ports;
  }

  /** Returns what a copy is to run, or null where a new process runs the command. */
  #copied({ copy, argv, stdin }: ExecOptions): { server: CopyServer; argv: string[]; user: SandboxUser } | null {
    const {
      runner,
      user,
      cgroup,
      options: { unsealed, lanes },
    } = this.#parts;
    if (!(copy?.of instanceof CopyServer) || !copy.of.alive || !runner.takesCopies || !cgroup) return null;
    if (!user || !copy.of.runsAs(user)) return null;
    if (argv !== undefined || stdin !== undefined || unsealed.size > 0 || lanes.length > 0) return null;
    return { server: copy.of, user, argv: checkArguments([copy.script, ...(copy.args ?? [])]) };
  }

  /**
   * A process of the host, in the file tree and the control group of this sandbox, of which copies can be made. The
   * sandbox ends with it.
   */
  async openForkServer({ python, modules }: ForkServerProgram): Promise<ForkServer | null> {
    const { stage, cgroup, runner, options, user } = this.#parts;
    if (!runner.takesCopies || !cgroup || !user || options.unsealed.size > 0) return null;
    const leaf = cgroup.leaf();
    const environment = Object.entries(options.env).map(([name, value]) => `${name}=${value}`);
    const inTree = [
      'chroot',
      `--userspec=${user.uid}:${user.gid}`,
      '--groups=',
      stage.root,
      '/usr/bin/env',
      '-i',
      ...environment,
      python,
      FORK_SERVER.target,
    ];
    const outside = [
      'nsenter',
      '--target',
      String(stage.holderPid),
      '--mount',
      '--',
      'unshare',
      '--mount',
      '--net',
      '--ipc',
      '--uts',
      '--',
    ];
    const withProc = ['/bin/sh', '-c', WITH_PROC, 'sh', stage.root, ...inTree];
    const argv = joinCgroup(leaf, limitProcess([...outside, ...withProc], options, false));
    return await CopyServer.start(argv, {
      modules,
      seccomp: runner.seccompFilter ?? null,
      user,
      destroy: () => this.destroy(),
    });
  }

  #request(command: string, options: ExecOptions): ExecRequest {
    const { env, cwd: base } = this.#parts.options;
    const cwd = insidePath('cwd', options.cwd ?? base, base);
    const argv = checkArguments(options.argv ?? ['/bin/sh', '-c', command]);
    return { argv, cwd, env: checkEnvironment({ PWD: cwd, ...env, ...options.env }) };
  }

  #outcome(result: PipedResult, prepared: PreparedExec, leaf: CgroupLeaf | undefined): RawResult {
    const outOfMemory = (leaf?.outOfMemoryKills() ?? 0) > 0;
    const { stdout, stderr, timedOut, truncated } = result;
    const common = { stdout, stderr, timedOut, truncated, outOfMemory };
    if (result.timedOut) return { ...common, exitCode: TIMED_OUT };
    if (outOfMemory) return { ...common, exitCode: KILLED };
    const outcome = prepared.outcome({ exitCode: result.exitCode, stderr: stderr.toString('utf8') });
    if (outcome.kind === 'ended') return { ...common, exitCode: outcome.exitCode };
    if (outcome.kind === 'not-started')
      return { ...common, stderr: Buffer.from(`${outcome.message}\n`), exitCode: outcome.exitCode };
    if (!this.#parts.stage.alive) throw this.#gone();
    // Other commands of this sandbox may have taken all processes: their doing, not ours.
    if (leaf?.reachedPidsLimit())
      return { ...common, stderr: Buffer.from(`${outcome.message}\n`), exitCode: CANNOT_RUN };
    throw new AssayError('SANDBOX_START_FAILED', { provider: this.#parts.runner.name, detail: outcome.message });
  }

  #context(pipes: string, leaf: CgroupLeaf | undefined): RunnerContext {
    const { id, stage, options, directory } = this.#parts;
    return { id, stage, options, directory, terminals: stage.terminals(pipes), cgroupPath: leaf?.name };
  }

  async #destroy(): Promise<void> {
    const { stage, cgroup, directory, onDestroy } = this.#parts;
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
    const [, removed = true] = await Promise.all([stage.destroy(), cgroup?.remove()]);
    await rm(directory, { recursive: true, force: true });
    onDestroy(removed);
  }

  #assertAlive(): void {
    if (this.#destroyed || !this.#parts.stage.alive) throw this.#gone();
  }

  #gone(): AssayError {
    return new AssayError('SANDBOX_GONE', { id: this.id });
  }
}

/**
 * Gives a command its input through a pipe, where it is gone once it was read. From a file anybody inside could read it
 * again, through /proc/1/fd/0, and a verifier's nonce comes that way. Shell and `cat` stay outside. The pipe's mode
 * lets everybody open `/dev/stdin`.
 */
function throughPipe(argv: string[], stdin: string | Uint8Array): string[] {
  return stdin.length === 0 ? argv : ['/bin/sh', '-c', 'cat | { chmod 666 /dev/stdin; exec "$@"; }', 'sh', ...argv];
}

function isIterable(stdin: ExecOptions['stdin']): stdin is AsyncIterable<string | Uint8Array> {
  return typeof stdin === 'object' && Symbol.asyncIterator in stdin;
}

/** A shell moves itself into the leaf and then becomes the command, so that nothing of it ever runs outside. */
function joinCgroup(leaf: CgroupLeaf, argv: string[]): string[] {
  const files = leaf.joinFiles;
  const script = `for _ in ${files.map(() => '.').join(' ')}; do echo 0 > "$1" || exit 125; shift; done; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...files, ...argv];
}

/**
 * Limits that each process carries. Rootless they stand in, weakly, for the control group. A core limit of 1 is the
 * kernel's sign to give no crash dump to the host's crash reporter either.
 */
function limitProcess(argv: string[], options: ResolvedOptions, rootless: boolean): string[] {
  const limits = rootless ? [`--nproc=${options.pids}`, `--data=${options.memoryBytes}`] : [];
  return ['prlimit', '--core=1:1', ...limits, '--', ...argv];
}

function killAll(leaf: CgroupLeaf | undefined, prepared: PreparedExec): void {
  leaf?.kill();
  prepared.kill?.();
}
