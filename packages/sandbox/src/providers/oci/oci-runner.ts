import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecOutcome, ExecRequest, PreparedExec, ProcessRunner, RunnerContext } from '../process-runner.ts';
import { launchUnderInit } from '../launch-inside.ts';
import type { Owner } from '../../owner.ts';
import type { ResolvedOptions } from '../../resolve-options.ts';
import type { Stage } from '../../stage/stage.ts';
import { shellOfProcess1 } from '../../stage/unreadable-shell.ts';
import { idMappings, ociConfig, type OciSetting } from './oci-config.ts';

export interface OciRuntime {
  name: 'runc' | 'runsc';
  /** Arguments before `run`. */
  globalArguments: (options: { shareNetwork: boolean }) => string[];
  runArguments: string[];
  /**
   * The runtime puts the container, but not itself, into the leaf of the control group. Else it runs in the leaf as a
   * whole.
   */
  managesCgroup: boolean;
  seccomp: object | null;
  userNamespaceWithHostNetwork: boolean;
  /** A process inside is not one process outside. */
  ownKernel: boolean;
  /** See `OciSetting`. */
  keep: string[];
  /** How it ends and what its log holds when it could not start the container. */
  failure: { exitCode: number; logged: string };
}

/** Runs each command as a container of its own, from an OCI bundle whose root is the stage. */
export class OciRunner implements ProcessRunner {
  readonly name: string;
  readonly managesCgroup: boolean;
  readonly hostNamespaces: boolean;
  readonly #runtime: OciRuntime;
  #containers = 0;

  constructor(runtime: OciRuntime) {
    this.#runtime = runtime;
    this.name = runtime.name;
    this.managesCgroup = runtime.managesCgroup;
    this.hostNamespaces = !runtime.ownKernel;
  }

  hostTasks(pids: number): number {
    // gVisor's ptrace platform keeps up to a score of threads for each process inside.
    return this.#runtime.ownKernel ? pids * 32 + 512 : pids + 1;
  }

  userMap(options: ResolvedOptions, { uid }: Owner): string {
    // The host's kernel does not count what is used in gVisor's.
    if (this.#runtime.ownKernel) return '';
    return idMappings(options, uid)
      .map(({ containerID, hostID, size }) => `${containerID} ${hostID} ${size}\n`)
      .join('');
  }

  prepare(request: ExecRequest, context: RunnerContext): PreparedExec {
    const { stage, options, directory, cgroupPath } = context;
    this.#containers += 1;
    const name = `container-${this.#containers}`;
    const bundle = join(directory, name);
    const { keep, seccomp, userNamespaceWithHostNetwork, ownKernel } = this.#runtime;
    const setting = {
      root: stage.root,
      sharedMemory: stage.sharedMemory,
      keep,
      seccomp,
      owner: stage.owner ?? ownUser(),
      userNamespace: userNamespaceWithHostNetwork || !options.shareNetwork ? userNamespaceIn(stage) : null,
      processLimit: ownKernel ? options.pids : undefined,
      cgroup: this.managesCgroup ? cgroupPath : undefined,
    };
    mkdirSync(bundle, { mode: 0o700 });
    const shell = ownKernel ? undefined : shellOfProcess1(options.mounts);
    const config = ociConfig(launchUnderInit(request, options.lanes, shell), options, setting);
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
    const log = join(bundle, 'log.json');
    const pid = join(bundle, 'pid');
    return {
      argv: [
        'nsenter',
        '--target',
        String(stage.holderPid),
        '--mount',
        '--',
        // Dies with this process; the container itself is killed through its control group.
        'setpriv',
        '--pdeathsig',
        'KILL',
        '--',
        this.#runtime.name,
        '--root',
        join(bundle, 'state'),
        '--log',
        log,
        '--log-format',
        'json',
        ...this.#runtime.globalArguments(options),
        'run',
        ...this.#runtime.runArguments,
        '--bundle',
        bundle,
        '--pid-file',
        pid,
        `${context.id}-${this.#containers}`,
      ],
      fds: [],
      outcome: ({ exitCode, stderr }) => readOutcome(exitCode, stderr, this.#runtime.failure, readIfThere(log)),
      insidePid: this.hostNamespaces ? () => Number(readIfThere(pid)) || null : undefined,
      dispose: () => rmSync(bundle, { recursive: true, force: true }),
    };
  }
}

function userNamespaceIn({ userNamespace }: Stage): OciSetting['userNamespace'] {
  return userNamespace === null ? 'new' : { path: userNamespace };
}

function ownUser(): Owner {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A runtime that could not start a container ends with a fixed exit code and says so in its log. */
function readOutcome(
  exitCode: number | null,
  stderr: string,
  failure: OciRuntime['failure'],
  log: string,
): ExecOutcome {
  if (exitCode === null) return { kind: 'broken', message: stderr.trim() };
  if (exitCode !== failure.exitCode || !log.includes(failure.logged)) return { kind: 'ended', exitCode };
  return { kind: 'broken', message: stderr.trim() };
}
