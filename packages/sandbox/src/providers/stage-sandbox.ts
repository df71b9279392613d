import { closeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AssayError } from '@assay/protocol/errors';
import type { ExecOptions, ExecResult, Sandbox } from '../contract.ts';
import type { CgroupLeaf, SandboxCgroup } from '../limits/sandbox-cgroup.ts';
import { openAnonymousFile } from '../process/anonymous-file.ts';
import { runWithPipes, type PipedResult } from '../process/run-with-pipes.ts';
import { checkArguments, checkEnvironment, insidePath, type ResolvedOptions } from '../resolve-options.ts';
import type { Stage } from '../stage/stage.ts';
import { exportTree } from './export-tree.ts';
import type { ExecRequest, PreparedExec, ProcessRunner, RunnerContext } from './process-runner.ts';

const TIMED_OUT = 124;
const CANNOT_RUN = 126;
const KILLED = 137;

export interface StageSandboxParts {
  id: string;
  runner: ProcessRunner;
  stage: Stage;
  cgroup: SandboxCgroup | null;
  options: ResolvedOptions;
  rootless: boolean;
  directory: string;
  onDestroy: () => void;
}

/** A sandbox whose files are a {@link Stage} and whose execs are process trees, each in new namespaces and a cgroup leaf. */
export class StageSandbox implements Sandbox {
  readonly id: string;
  readonly #parts: StageSandboxParts;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #destroyed: Promise<void> | undefined;

  constructor(parts: StageSandboxParts) {
    this.id = parts.id;
    this.#parts = parts;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    this.#assertAlive();
    const run = this.#exec(command, options);
    this.#running.add(run);
    try {
      return await run;
    } finally {
      this.#running.delete(run);
    }
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const target = insidePath('path', path, this.#parts.options.cwd);
    const script = 'if [ -n "$2" ]; then mkdir -p -- "$2" || exit; fi; cat > "$1"';
    const result = await this.exec('', { argv: ['/bin/sh', '-c', script, 'sh', target, dirname(target)], cwd: '/', stdin: content });
    if (result.exitCode !== 0) throw fileError(target, result);
  }

  async readFile(path: string): Promise<string> {
    const target = insidePath('path', path, this.#parts.options.cwd);
    const result = await this.exec('', { argv: ['/bin/cat', '--', target], cwd: '/' });
    if (result.exitCode !== 0) throw fileError(target, result);
    if (result.truncated) throw new AssayError('SANDBOX_FILE_FAILED', { path: target, detail: 'it is larger than the output limit' });
    return result.stdout;
  }

  hostView(path: string): string {
    this.#assertAlive();
    return this.#parts.stage.hostView(path);
  }

  async exportDirectory(path: string, hostDirectory: string): Promise<void> {
    this.hostView(path);
    // What runs could swap a directory for a link while it is being copied.
    if (this.#running.size > 0) throw new AssayError('SANDBOX_FILE_FAILED', { path, detail: 'it cannot be exported while a command runs' });
    const { enter, source } = this.#parts.stage.exportSource(path);
    await exportTree(enter, source, hostDirectory);
  }

  destroy(): Promise<void> {
    this.#destroyed ??= this.#destroy();
    return this.#destroyed;
  }

  async #exec(command: string, options: ExecOptions): Promise<ExecResult> {
    const { stage, cgroup, runner } = this.#parts;
    const startedAt = performance.now();
    const request = this.#request(command, options);
    const pipes = await stage.takePipes();
    const leaf = cgroup?.leaf();
    const prepared = runner.prepare(request, this.#context(leaf));
    const pieces = isIterable(options.stdin) ? options.stdin : null;
    const whole = isIterable(options.stdin) ? '' : (options.stdin ?? '');
    const stdin = openAnonymousFile(this.#parts.directory, whole);
    try {
      const result = await runWithPipes(pipes, {
        argv: throughPipe(limitProcess(leaf && !runner.managesCgroup ? joinCgroup(leaf, prepared.argv) : prepared.argv, this.#parts.options, this.#parts.rootless), whole),
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
      return { ...this.#read(result, prepared, leaf), durationMs: performance.now() - startedAt };
    } catch (error) {
      if (this.#stopping.signal.aborted) throw this.#gone();
      throw error;
    } finally {
      closeSync(stdin);
      await leaf?.remove();
      await prepared.dispose();
    }
  }

  #request(command: string, options: ExecOptions): ExecRequest {
    const { env, cwd: base } = this.#parts.options;
    const cwd = insidePath('cwd', options.cwd ?? base, base);
    const argv = checkArguments(options.argv ?? ['/bin/sh', '-c', command]);
    return { argv, cwd, env: checkEnvironment({ PWD: cwd, ...env, ...options.env }) };
  }

  #read(result: PipedResult, prepared: PreparedExec, leaf: CgroupLeaf | undefined): ExecResult {
    const outOfMemory = (leaf?.outOfMemoryKills() ?? 0) > 0;
    const stdout = result.stdout.toString('utf8');
    const stderr = result.stderr.toString('utf8');
    const common = { stdout, stderr, timedOut: result.timedOut, truncated: result.truncated, outOfMemory };
    if (result.timedOut) return { ...common, exitCode: TIMED_OUT };
    if (outOfMemory) return { ...common, exitCode: KILLED };
    const outcome = prepared.outcome({ exitCode: result.exitCode, stderr });
    if (outcome.kind === 'ended') return { ...common, exitCode: outcome.exitCode };
    if (outcome.kind === 'not-started') return { ...common, stderr: `${outcome.message}\n`, exitCode: outcome.exitCode };
    if (!this.#parts.stage.alive) throw this.#gone();
    // Other commands of this sandbox may have taken all processes: their doing, not ours.
    if (leaf?.reachedPidsLimit()) return { ...common, stderr: `${outcome.message}\n`, exitCode: CANNOT_RUN };
    throw new AssayError('SANDBOX_START_FAILED', { provider: this.#parts.runner.name, detail: outcome.message });
  }

  #context(leaf: CgroupLeaf | undefined): RunnerContext {
    const { id, stage, options, rootless, directory } = this.#parts;
    return { id, stage, options, rootless, directory, cgroupPath: leaf?.name };
  }

  async #destroy(): Promise<void> {
    const { stage, cgroup, directory, onDestroy } = this.#parts;
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
    await Promise.all([stage.destroy(), cgroup?.remove()]);
    await rm(directory, { recursive: true, force: true });
    onDestroy();
  }

  #assertAlive(): void {
    if (this.#destroyed || !this.#parts.stage.alive) throw this.#gone();
  }

  #gone(): AssayError {
    return new AssayError('SANDBOX_GONE', { id: this.id });
  }
}

/**
 * What was read from a pipe is gone. From a file it could be read again by anybody inside, through /proc/1/fd/0, and a verifier's nonce comes
 * that way. Shell and `cat` stay outside. The pipe is made everybody's so that `/dev/stdin` can be opened.
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
  const script = `for _ in ${files.map(() => '.').join(' ')}; do echo $$ > "$1" || exit 125; shift; done; exec "$@"`;
  return ['/bin/sh', '-c', script, 'sh', ...files, ...argv];
}

/**
 * Limits that each process carries. Rootless they stand in, weakly, for the control group. A core limit of 1 is the kernel's sign to
 * give no crash dump to the host's crash reporter either.
 */
function limitProcess(argv: string[], options: ResolvedOptions, rootless: boolean): string[] {
  const limits = rootless ? [`--nproc=${options.pids}`, `--data=${options.memoryBytes}`] : [];
  return ['prlimit', '--core=1:1', ...limits, '--', ...argv];
}

function killAll(leaf: CgroupLeaf | undefined, prepared: PreparedExec): void {
  leaf?.kill();
  prepared.kill?.();
}

function fileError(path: string, result: ExecResult): AssayError {
  const detail = result.stderr.trim().split('\n').at(-1) ?? '';
  return new AssayError('SANDBOX_FILE_FAILED', { path, detail: detail === '' ? `exit ${result.exitCode}` : detail });
}
